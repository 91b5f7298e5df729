"""Generates wrong versions of a reference solution with one edit each.

Each operator models a class of mistakes in differentiation: a missing `+=`, a missing upstream gradient, a sign, swapped
operands, a mean for a sum, a wrong axis, an extra detach. Mutants measure the hidden checks of an exercise: a mutant that no
check kills is a gap in the checks or an equivalent program.
"""

import ast
import copy
import difflib
import hashlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from autograder.judge.files import join, split

UPSTREAM_NAMES = ("g", "gs", "grad", "grad_output", "grad_out", "upstream", "dout", "gy", "grad_y", "v")
REDUCTIONS = {"sum": "mean", "mean": "sum", "max": "min", "min": "max", "amax": "amin", "argmax": "argmin"}
SAME_SHAPE_CALLS = (
    "exp",
    "log",
    "sqrt",
    "abs",
    "tanh",
    "sin",
    "cos",
    "sign",
    "clone",
    "copy",
    "contiguous",
    "conj",
    "square",
)
GRAPH_CUTS = ("detach", "clone", "item", "copy", "reversed", "requires_grad_", "zero_grad", "zero_")
FLAGS = ("create_graph", "retain_graph", "keepdims", "keepdim", "accumulate", "allow_unused", "set_to_none", "inplace")
COMPARES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One wrong version: the kind of mistake, the line of the reference, and the program. `file` is the changed file if the
    reference has several."""

    operator: str
    line: int
    words: str
    source: str
    file: str = ""

    @property
    def key(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Edit:
    operator: str
    words: str
    replacement: ast.AST | list[ast.stmt]


def generate(source: str, operators: "Operators | None" = None) -> list[Mutant]:
    """All mutants with one edit, without duplicates and without those identical to the reference. `operators` replaces the
    default operators."""
    return in_each_file(source, lambda text: _of_one_file(text, operators))


def in_each_file(source: str, mutants_of: Callable[[str], list[Mutant]]) -> list[Mutant]:
    """The mutants of a file or, for several files, those of each of them among the others."""
    contents = split(source.encode())
    if not contents:
        return mutants_of(source)
    return [
        replace(mutant, source=join({**contents, path: mutant.source.encode()}).decode(), file=path)
        for path, content in contents.items()
        for mutant in mutants_of(content.decode())
    ]


def _of_one_file(source: str, operators: "Operators | None") -> list[Mutant]:
    tree = without_docstrings(ast.parse(source))
    seen = {ast.unparse(tree)}
    mutants = []
    for position, node in enumerate(ast.walk(tree)):
        for edit in _edits(node, OPERATORS if operators is None else operators):
            text = _applied(tree, position, edit.replacement)
            if text is not None and text not in seen:
                seen.add(text)
                mutants.append(Mutant(edit.operator, getattr(node, "lineno", 0), edit.words, text + "\n"))
    return mutants


def without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt) and _is_text(body[0]):
            body[:1] = [] if len(body) > 1 else [ast.Pass()]
    return tree


def diff(source: str, mutant: Mutant) -> str:
    """The change as a diff against the normalised reference."""
    if mutant.file:
        source, changed = (split(text.encode())[mutant.file].decode() for text in (source, mutant.source))
    else:
        changed = mutant.source
    base = ast.unparse(without_docstrings(ast.parse(source))).splitlines()
    name = mutant.file or "solution.py"
    lines = difflib.unified_diff(base, changed.splitlines(), name, f"mutant ({mutant.operator})", n=2, lineterm="")
    return "\n".join(lines)


def _applied(tree: ast.Module, position: int, replacement: ast.AST | list[ast.stmt]) -> str | None:
    """The program with one node replaced, given by its index in the traversal; None if the result is not a valid program."""
    changed = copy.deepcopy(tree)
    target = next(node for n, node in enumerate(ast.walk(changed)) if n == position)
    if not _replace(changed, target, copy.deepcopy(replacement)):
        return None
    try:
        text = ast.unparse(ast.fix_missing_locations(changed))
    except (ValueError, RecursionError):
        return None
    return text if compiles(text) else None


def compiles(program: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # wrong programs may contain suspicious code
            compile(program, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _replace(tree: ast.AST, target: ast.AST, replacement: ast.AST | list[ast.stmt]) -> bool:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is target and isinstance(replacement, ast.AST):
                setattr(parent, name, replacement)
                return True
            if isinstance(value, list) and any(item is target for item in value):
                at = next(n for n, item in enumerate(value) if item is target)
                put = replacement if isinstance(replacement, list) else [replacement]
                value[at : at + 1] = put
                if not value and name == "body":
                    value.append(ast.Pass())
                return True
    return False


def _edits(node: ast.AST, table: "Operators") -> Iterator[Edit]:
    for kind, operators in table:
        if isinstance(node, kind):
            for operator in operators:
                yield from operator(node)


# -- statements ---------------------------------------------------------------------------------------------------------


def _augmented(node: ast.AugAssign) -> Iterator[Edit]:
    plain = ast.Assign([node.target], node.value)
    yield Edit("overwrite", f"`{ast.unparse(node)}` overwrites instead of accumulating", plain)
    if isinstance(node.op, ast.Add | ast.Sub):
        other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield Edit("sign", f"`{ast.unparse(node)}` with the other sign", ast.AugAssign(node.target, other, node.value))


def _dropped(node: ast.stmt) -> Iterator[Edit]:
    if not _is_text(node):
        yield Edit("drop-statement", f"`{_first_line(node)}` is left out", [])


def _unwrapped(node: ast.With) -> Iterator[Edit]:
    names = ", ".join(ast.unparse(item.context_expr) for item in node.items)
    yield Edit("context", f"without `with {names}`", list(node.body))


def _swapped_statements(node: ast.AST) -> Iterator[Edit]:
    body = getattr(node, "body", None)
    if not isinstance(body, list):
        return
    for n in range(len(body) - 1):
        first, second = body[n], body[n + 1]
        if isinstance(first, ast.Expr | ast.Assign | ast.AugAssign) and isinstance(
            second, ast.Expr | ast.Assign | ast.AugAssign
        ):
            changed = copy.deepcopy(node)
            items = changed.body  # type: ignore[attr-defined]
            items[n], items[n + 1] = items[n + 1], items[n]
            yield Edit("order", f"`{_first_line(second)}` comes before `{_first_line(first)}`", changed)


def _branch(node: ast.If | ast.IfExp | ast.While) -> Iterator[Edit]:
    changed = copy.deepcopy(node)
    changed.test = ast.UnaryOp(ast.Not(), changed.test)
    yield Edit("condition", f"the condition `{ast.unparse(node.test)}` is turned round", changed)


def _returned(node: ast.Return) -> Iterator[Edit]:
    if not isinstance(node.value, ast.Tuple) or len(node.value.elts) < 2:
        return
    parts = node.value.elts
    for n in range(len(parts) - 1):
        order = [*parts[:n], parts[n + 1], parts[n], *parts[n + 2 :]]
        yield Edit("return-order", "the returned values change places", ast.Return(ast.Tuple(order, ast.Load())))
    for n in range(len(parts)):
        nothing = [*parts[:n], ast.Constant(None), *parts[n + 1 :]]
        yield Edit("return-none", f"None is returned in place {n + 1}", ast.Return(ast.Tuple(nothing, ast.Load())))


# -- expressions --------------------------------------------------------------------------------------------------------


def _binary(node: ast.BinOp) -> Iterator[Edit]:
    text = ast.unparse(node)
    dropped = "drop-term" if isinstance(node.op, ast.Add | ast.Sub) else "drop-factor"
    if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.MatMult):
        yield Edit(dropped, f"of `{text}` only `{ast.unparse(node.left)}` is left", node.left)
        yield Edit(dropped, f"of `{text}` only `{ast.unparse(node.right)}` is left", node.right)
    other = ARITHMETIC.get(type(node.op))
    if other is not None:
        name = "sign" if isinstance(node.op, ast.Add | ast.Sub) else "mul-div"
        yield Edit(name, f"`{text}` with the other operator", ast.BinOp(node.left, other(), node.right))
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
        yield Edit("swap-operands", f"the operands of `{text}` change places", ast.BinOp(node.right, node.op, node.left))


def _unary(node: ast.UnaryOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        yield Edit(
            "sign" if isinstance(node.op, ast.USub) else "mask", f"`{ast.unparse(node)}` without its sign", node.operand
        )


def _compared(node: ast.Compare) -> Iterator[Edit]:
    for other in COMPARES.get(type(node.ops[0]), ()):
        changed = ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)
        yield Edit("mask", f"`{ast.unparse(node)}` becomes `{ast.unparse(changed)}`", changed)


def _constant(node: ast.Constant) -> Iterator[Edit]:
    if isinstance(node.value, bool):
        yield Edit("flag", f"{node.value} becomes {not node.value}", ast.Constant(not node.value))
    elif isinstance(node.value, int | float):
        yield Edit("constant", f"{node.value} becomes {node.value + 1}", ast.Constant(node.value + 1))
        if node.value not in (1, 0):
            yield Edit("constant", f"{node.value} becomes 1", ast.Constant(1))


def _name(node: ast.Name) -> Iterator[Edit]:
    if isinstance(node.ctx, ast.Load) and node.id in UPSTREAM_NAMES:
        yield Edit("upstream", f"the upstream `{node.id}` is taken for ones", _ones_of(node))


def _ones_of(node: ast.expr) -> ast.expr:
    return ast.BinOp(ast.BinOp(node, ast.Mult(), ast.Constant(0)), ast.Add(), ast.Constant(1))


def _attribute(node: ast.Attribute) -> Iterator[Edit]:
    if node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load):
        yield Edit("transpose", f"`{ast.unparse(node)}` without the transpose", node.value)
    if node.attr == "grad" and isinstance(node.ctx, ast.Load):
        yield Edit("upstream", f"`{ast.unparse(node)}` is taken for one", ast.Constant(1.0))
    if node.attr == "data" and isinstance(node.value, ast.Name) and node.value.id in ("self", "other"):
        swapped = ast.Name("other" if node.value.id == "self" else "self", ast.Load())
        yield Edit("swap-names", f"`{ast.unparse(node)}` of the other operand", ast.Attribute(swapped, "data", node.ctx))


def _call(node: ast.Call) -> Iterator[Edit]:
    text = ast.unparse(node)
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in REDUCTIONS:
            renamed = copy.deepcopy(node)
            renamed.func.attr = REDUCTIONS[name]  # type: ignore[attr-defined]
            yield Edit("reduction", f"`{text}` as {REDUCTIONS[name]}", renamed)
        if name in SAME_SHAPE_CALLS and len(node.args) == 1:
            yield Edit("drop-call", f"`{text}` without the call", node.args[0])
        if name in (*GRAPH_CUTS, *SAME_SHAPE_CALLS) and not node.args:
            yield Edit("drop-call", f"`{text}` without the call", node.func.value)
    elif (
        isinstance(node.func, ast.Name)
        and node.func.id in ("reversed", "abs", "sorted", "list", "tuple", "float")
        and node.args
    ):
        yield Edit("drop-call", f"`{text}` without the call", node.args[0])
    if len(node.args) == 2 and not any(isinstance(item, ast.Starred) for item in node.args):
        changed = copy.deepcopy(node)
        changed.args.reverse()
        yield Edit("swap-operands", f"the arguments of `{text}` change places", changed)
    for n, keyword in enumerate(node.keywords):
        if keyword.arg in FLAGS or keyword.arg in ("axis", "dim"):
            changed = copy.deepcopy(node)
            del changed.keywords[n]
            yield Edit("axis" if keyword.arg in ("axis", "dim") else "flag", f"`{text}` without {keyword.arg}", changed)


def _subscript(node: ast.Subscript) -> Iterator[Edit]:
    if isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
        yield Edit("slice", f"`{ast.unparse(node)}` without the slice", node.value)


def _is_text(node: ast.stmt) -> bool:
    """Whether a node is a docstring, which does not affect behaviour."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:80]


Operator = Callable[..., Iterator[Edit]]
Operators = list[tuple[type[ast.AST] | tuple[type[ast.AST], ...], tuple[Operator, ...]]]
OPERATORS: Operators = [
    (ast.AugAssign, (_augmented, _dropped)),
    ((ast.Expr, ast.Assign), (_dropped,)),
    (ast.With, (_unwrapped,)),
    ((ast.FunctionDef, ast.For, ast.While, ast.If, ast.With), (_swapped_statements,)),
    ((ast.If, ast.IfExp, ast.While), (_branch,)),
    (ast.Return, (_returned,)),
    (ast.BinOp, (_binary,)),
    (ast.UnaryOp, (_unary,)),
    (ast.Compare, (_compared,)),
    (ast.Constant, (_constant,)),
    (ast.Name, (_name,)),
    (ast.Attribute, (_attribute,)),
    (ast.Call, (_call,)),
    (ast.Subscript, (_subscript,)),
]
