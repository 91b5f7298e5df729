"""Generates wrong versions with mistakes about arrays that are larger than one edit: elementwise instead of dot products,
transposes of all axes, wrong masks, reductions over the whole array, wrong rounding.

Like `rewrites`, these are made from the author's reference, if it computes with NumPy or torch.
"""

import ast
import copy
from collections.abc import Iterator
from itertools import combinations

from autograder.judge import mutants
from autograder.judge.mutants import Edit, Mutant, Operators

REDUCED = ("sum", "mean", "max", "min", "amax", "amin")
ROUNDING = ("round", "rint", "floor", "ceil", "trunc")
ELEMENTWISE = ("exp", "log", "sqrt", "tanh", "sigmoid", "sin", "cos", "sign", *ROUNDING)
TOLERANCES = (1e-6, -1e-6, 1e-3)


def library_of(source: str) -> str:
    return "torch" if "import torch" in source else "np" if "import numpy as np" in source else ""


def generate(source: str, library: str | None = None) -> list[Mutant]:
    """All wrong versions of this source. A part of a file does not show which library it uses, so `library` names it."""
    tree = ast.parse(source)
    library = library_of(source) if library is None else library
    return mutants.generate(source, _Habits(tree, library).operators()) if library else []


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _expr(template: str, **parts: ast.AST) -> ast.expr:
    """An expression in which names are replaced by expressions."""
    tree = ast.parse(template, mode="eval")

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(parts.get(node.id, node))

    filled: ast.Expression = Fill().visit(tree)
    return filled.body


def _name_of(node: ast.Call) -> str:
    """The name of a called function: `exp` for `np.exp(x)` and `x.exp()`."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class _Habits:
    """The operators for one reference, which depend on its library and on its own small functions."""

    def __init__(self, tree: ast.Module, library: str) -> None:
        self.library = library
        self.small = {node.name: _text(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.dots = {
            _text(node.targets[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _dot_sum(node.value) is not None
        }
        self.applied = {
            (_text(node.func), node.args[0].id)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _plain_call(node, library) and isinstance(node.args[0], ast.Name)
        }
        self.handed_on = {  # passed to a Function, so an edit would cut the gradient at another Function
            (name.lineno, name.col_offset)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _name_of(node) == "apply"
            for name in ast.walk(node)
            if isinstance(name, ast.Name)
        }

    def operators(self) -> Operators:
        return [
            (ast.BinOp, (self.products, self.terms)),
            (ast.Call, (self.sums, self.reductions, self.turned, self.own_functions, self.chosen, self.rounded)),
            (ast.Attribute, (self.turned_attribute,)),
            (ast.Compare, (self.compared,)),
            (ast.Name, (self.outputs,)),
            (ast.FunctionDef, (self.stopped, self.axis_ignored, self.other_axis, self.factors_exchanged)),
        ]

    def axis_ignored(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """The axis argument is ignored and the last axis used."""
        for name in ("axis", "dim"):
            if any(argument.arg == name for argument in (*node.args.args, *node.args.kwonlyargs)):
                changed = copy.deepcopy(node)
                changed.body[:0] = ast.parse(f"{name} = -1").body
                yield Edit("axis", f"`{name}` of `{node.name}` is always -1", changed)

    def other_axis(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """All reductions of a function that use the same axis use another one."""
        axes = [value.value for value in _axes_named(node)]
        for axis in dict.fromkeys(axes):
            for other in {0, 1, -1} - {axis}:
                changed = copy.deepcopy(node)
                for value in _axes_named(changed):
                    value.value = other if value.value == axis else value.value
                yield Edit("axis", f"axis {other} for axis {axis!r} in `{node.name}`", changed)

    def factors_exchanged(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """Two arguments that are factors are swapped."""
        names = [argument.arg for argument in node.args.args if argument.arg not in mutants.UPSTREAM_NAMES]
        for one, other in combinations(names, 2):
            changed = copy.deepcopy(node)
            factors = [name for name in _factors(changed) if name.id in (one, other)]
            for name in factors:
                name.id = other if name.id == one else one
            if factors:
                yield Edit("swap-names", f"`{one}` and `{other}` change places as factors", changed)

    # -- dot products --------------------------------------------------------------------------------------------------

    def products(self, node: ast.BinOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.MatMult):
            yield Edit("dot", f"`{_text(node)}` element by element", ast.BinOp(node.left, ast.Mult(), node.right))

    def terms(self, node: ast.BinOp) -> Iterator[Edit]:
        """A term that is a dot product is missing."""
        if isinstance(node.op, ast.Add | ast.Sub):
            for gone, left in ((node.right, node.left), (node.left, node.right)):
                if _text(gone) in self.dots:
                    yield Edit("dot-term", f"of `{_text(node)}` only `{_text(left)}` is left", left)

    def sums(self, node: ast.Call) -> Iterator[Edit]:
        """A factor of a dot product or its sum is missing."""
        product = _dot_sum(node)
        if product is None:
            return
        yield Edit("dot", f"`{_text(product)}` is not summed", product)
        for kept in (product.left, product.right):
            changed = copy.deepcopy(node)
            if isinstance(changed.func, ast.Attribute) and _dot_sum(node) is node.func.value:  # type: ignore[attr-defined]
                changed.func.value = kept
            else:
                changed.args[0] = kept
            yield Edit("dot-term", f"of `{_text(product)}` only `{_text(kept)}` is summed", changed)

    # -- reductions ----------------------------------------------------------------------------------------------------

    def reductions(self, node: ast.Call) -> Iterator[Edit]:
        """A reduction runs over the whole array, or takes one copy instead of the sum."""
        name = _name_of(node)
        if name not in REDUCED or not isinstance(node.func, ast.Attribute):
            return
        axis = next((k.value for k in node.keywords if k.arg in ("axis", "dim")), None)
        if axis is None:
            return
        greatest = name in ("max", "amax")
        whole = copy.deepcopy(node)
        whole.keywords = [k for k in whole.keywords if k.arg not in ("axis", "dim", "keepdims", "keepdim")]
        if greatest and self.library == "np":
            whole.keywords.append(ast.keyword("initial", _expr("-np.inf")))
        yield Edit("all-axes-max" if greatest else "all-axes", f"`{_text(node)}` of the whole array", whole)
        if name == "sum" and isinstance(node.func.value, ast.Name) and self.library == "np":
            kept = any(k.arg == "keepdims" for k in node.keywords)
            for at, what in ((-1, "last"), (0, "first")):
                cut = f"slice({at}, {at + 1 or None})" if kept else str(at)
                one = (
                    f"(lambda v, a: v[tuple({cut} if n in a and v.shape[n] else slice(None) for n in range(v.ndim))]"
                    f".sum(axis=tuple(n for n in a if not v.shape[n]), keepdims={kept}))(values, tuple(axes))"
                )
                yield Edit(
                    "no-reduction", f"the {what} copy for `{_text(node)}`", _expr(one, values=node.func.value, axes=axis)
                )

    # -- transpositions and small functions ----------------------------------------------------------------------------

    def turned(self, node: ast.Call) -> Iterator[Edit]:
        matrix: ast.expr | None = None
        if _name_of(node) == "swapaxes":
            matrix = node.args[0] if len(node.args) == 3 else node.func.value  # type: ignore[attr-defined]
        elif _name_of(node) == "transpose" and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
            matrix = node.func.value
        if matrix is not None:
            yield from self._turnings(node, matrix)

    def turned_attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        if node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load):
            yield from self._turnings(node, node.value)

    def _turnings(self, node: ast.expr, matrix: ast.expr) -> Iterator[Edit]:
        text = _text(node)
        yield Edit("transpose", f"`{text}` without the transposition", matrix)
        folded = "m.reshape(*m.shape[:-2], m.shape[-1], m.shape[-2])"
        yield Edit("transpose-by-reshape", f"reshape for `{text}`", _expr(folded, m=matrix))
        yield Edit("transpose-all", f"`{text}` of all axes", _expr("m.T", m=matrix))
        order = "(*range(m.ndim - 3, -1, -1), m.ndim - 1, m.ndim - 2)"
        method = "transpose" if self.library == "np" else "permute"
        yield Edit("transpose-all", f"`{text}` and the axes in front reversed", _expr(f"m.{method}({order})", m=matrix))

    def own_functions(self, node: ast.Call) -> Iterator[Edit]:
        """The call of one of the reference's own small functions is missing."""
        body = self.small.get(_name_of(node))
        if body is None or not isinstance(node.func, ast.Name) or not 1 <= len(node.args) <= 2:
            return
        turns = "swapaxes" in body or ".T" in body or ".mT" in body
        operator = "transpose" if turns else "no-reduction" if ".sum(" in body else "drop-call"
        yield Edit(operator, f"`{_text(node)}` without the call", node.args[0])

    # -- masks ---------------------------------------------------------------------------------------------------------

    def chosen(self, node: ast.Call) -> Iterator[Edit]:
        """`where` without the selection, with another condition, or with another value at the boundary of its branches."""
        if _name_of(node) != "where" or len(node.args) != 3:
            return
        condition, one, other = node.args
        text = _text(node)
        for zero, kept in ((one, other), (other, one)):
            if _text(kept) in mutants.UPSTREAM_NAMES:
                yield Edit("no-mask", f"`{_text(kept)}` for `{text}`", kept)
                clip = "np.clip(kept, -1, 1)" if self.library == "np" else "kept.clamp(-1, 1)"
                yield Edit("clipped-upstream", f"`{_text(kept)}` is clipped for `{text}`", _expr(clip, kept=kept))
                for name in {n.id for n in ast.walk(condition) if isinstance(n, ast.Name)} - {"np", "torch"}:
                    asked = _expr(_text(condition), **{name: kept})
                    yield Edit("mask-of-upstream", f"`{_text(asked)}` decides", _expr_call(node, asked, one, other))
            elif isinstance(zero, ast.Constant):
                yield Edit("guard", f"`{_text(kept)}` for `{text}`", kept)
        if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            edge = ast.Compare(condition.left, [ast.NotEq()], condition.comparators)
            yield Edit("mask", f"`{text}` is 0 at the kink", _expr("whole * edge", whole=node, edge=edge))

    def compared(self, node: ast.Compare) -> Iterator[Edit]:
        """A comparison with a tolerance, of the sign bit, or on one side only."""
        if not isinstance(node.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE) or len(node.ops) != 1:
            return
        left, right = node.left, node.comparators[0]
        if not isinstance(right, ast.Constant):
            return
        for tolerance in TOLERANCES:
            moved = ast.Compare(left, node.ops, [ast.Constant(right.value + tolerance)])  # type: ignore[operator]
            yield Edit("mask", f"`{_text(node)}` with a tolerance of {tolerance}", moved)
        if right.value == 0:
            signed = {"np": "np.copysign(1.0, x)", "torch": "torch.copysign(torch.ones_like(x), x)"}[self.library]
            yield Edit(
                "mask", f"`{_text(node)}` by the sign bit", ast.Compare(_expr(signed, x=left), node.ops, node.comparators)
            )
        if isinstance(left, ast.Call) and _name_of(left) in ("abs", "absolute", "fabs"):
            inner = left.args[0] if left.args else left.func.value  # type: ignore[attr-defined]
            for sided in (inner, ast.UnaryOp(ast.USub(), inner)):
                changed = ast.Compare(sided, node.ops, node.comparators)
                yield Edit("one-sided", f"`{_text(changed)}` for `{_text(node)}`", changed)

    def stopped(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """A backward that returns zeros."""
        if node.name == "backward":
            changed = copy.deepcopy(node)
            for item in ast.walk(changed):
                if isinstance(item, ast.Return) and item.value is not None and not isinstance(item.value, ast.Tuple):
                    item.value = ast.BinOp(ast.Constant(0), ast.Mult(), item.value)
            yield Edit("zeros", "backward returns zeros", changed)

    # -- elementwise functions -----------------------------------------------------------------------------------------

    def rounded(self, node: ast.Call) -> Iterator[Edit]:
        name = _name_of(node)
        if name not in ROUNDING or not isinstance(node.func, ast.Attribute):
            return
        x = node.args[0] if node.args else node.func.value
        lib = self.library
        half = f"abs(x - {lib}.trunc(x)) == 0.5"
        ways = {
            "halves up": f"{lib}.floor(x + 0.5)",
            "halves down": f"{lib}.ceil(x - 0.5)",
            "halves up, exactly": f"{lib}.where({half}, {lib}.ceil(x), {lib}.round(x))",
            "halves away from zero": f"{lib}.trunc(x + 0.5 * {lib}.sign(x))",
            "halves away from zero, exactly": f"{lib}.where({half}, {lib}.trunc(x) + {lib}.sign(x), {lib}.round(x))",
            "halves towards zero": f"{lib}.where({half}, {lib}.trunc(x), {lib}.round(x))",
            "down": f"{lib}.floor(x)",
            "up": f"{lib}.ceil(x)",
            "towards zero": f"{lib}.trunc(x)",
        }
        for words, way in ways.items():
            yield Edit("rounding", f"`{_text(node)}`: {words}", _expr(way, x=x))
        yield Edit("unchanged-value", f"`{_text(node)}` without the call", x)

    def outputs(self, node: ast.Name) -> Iterator[Edit]:
        """The result of an elementwise function is used in place of its argument."""
        if isinstance(node.ctx, ast.Load) and (node.lineno, node.col_offset) not in self.handed_on:
            for function, argument in sorted(self.applied):
                if argument == node.id:
                    yield Edit(
                        "output-for-input", f"`{function}({argument})` for `{argument}`", _expr(f"{function}({argument})")
                    )


def _axes_named(function: ast.FunctionDef) -> list[ast.Constant]:
    """The axes that reductions receive as integer literals."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and _name_of(node) in REDUCED]
    values = [
        value for call in calls for value in (*call.args, *(k.value for k in call.keywords if k.arg in ("axis", "dim")))
    ]
    return [value for value in values if isinstance(value, ast.Constant) and type(value.value) is int]


def _factors(function: ast.FunctionDef) -> list[ast.Name]:
    products = [
        n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult | ast.Div | ast.MatMult)
    ]
    return [side for product in products for side in (product.left, product.right) if isinstance(side, ast.Name)]


def _dot_sum(node: ast.Call) -> ast.BinOp | None:
    """The product in `(a * b).sum(...)` or `np.sum(a * b, ...)`."""
    if _name_of(node) != "sum" or not isinstance(node.func, ast.Attribute):
        return None
    for inner in (node.func.value, *node.args[:1]):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult):
            return inner
    return None


def _plain_call(node: ast.Call, library: str) -> bool:
    return (
        isinstance(node.func, ast.Attribute)
        and _text(node.func.value) == library
        and node.func.attr in ELEMENTWISE
        and len(node.args) == 1
        and not node.keywords
    )


def _expr_call(node: ast.Call, *args: ast.expr) -> ast.Call:
    return ast.Call(node.func, list(args), node.keywords)
