"""Generates wrong versions with mistakes of autograd users: where graphs are cut, what is recomputed, when gradients are
cleared and graphs freed, how microbatches are weighted.

Like `rewrites`, these are made from the author's reference and have names. They apply only to programs that use torch
without a custom Function. `loops` has those inside loops over steps.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from itertools import combinations, islice

from autograder.judge.mutants import Mutant

Program = tuple[str, str, ast.Module]  # operator, description, program
SITES = 5
CUTS = 30
PLAIN = (
    "range",
    "len",
    "zip",
    "enumerate",
    "append",
    "grad",
    "zeros_like",
    "backward",
)  # calls outside of graphs


def generate(source: str) -> list[Mutant]:
    """All wrong versions of this reference, without duplicates."""
    from autograder.judge.diagnosis import loops

    tree = ast.parse(source)
    if "torch" not in source or "ctx" in source:
        return []
    seen, found = {ast.unparse(tree)}, []
    for habit in (*HABITS, *loops.HABITS):
        for operator, words, program in habit(tree):
            text = ast.unparse(ast.fix_missing_locations(program))
            if text not in seen:
                seen.add(text)
                found.append(Mutant(operator, 0, words, text + "\n"))
    return found


# -- small tools -------------------------------------------------------------------------------------------------------


def functions(tree: ast.Module) -> Iterator[tuple[ast.Module, ast.FunctionDef]]:
    """For every function, a new copy of the program and the function in it."""
    count = sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))
    for n in range(count):
        changed = copy.deepcopy(tree)
        yield changed, [node for node in ast.walk(changed) if isinstance(node, ast.FunctionDef)][n]


def twin(program: ast.Module, node: ast.AST) -> tuple[ast.Module, ast.AST]:
    """A copy of a program, and the node of the copy that corresponds to a given node."""
    place = next(n for n, other in enumerate(ast.walk(program)) if other is node)
    changed = copy.deepcopy(program)
    return changed, next(other for n, other in enumerate(ast.walk(changed)) if n == place)


def put(tree: ast.AST, old: ast.AST, new: ast.AST | list[ast.stmt]) -> None:
    """Replaces an expression by another, or a statement by any number of statements."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return
            if isinstance(value, list) and any(item is old for item in value):
                at = next(n for n, item in enumerate(value) if item is old)
                value[at : at + 1] = new if isinstance(new, list) else [new]
                return


def expr(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name and not node.args


def loads(tree: ast.AST, name: str) -> list[ast.Name]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return [node for node in found if isinstance(node.ctx, ast.Load)]


def named(tree: ast.AST) -> Iterator[tuple[ast.Assign, str]]:
    """Assignments to names that are assigned only once."""
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if sum(other.id == name for other in assigned) == 1:
                yield node, name


# -- where a graph is cut ----------------------------------------------------------------------------------------------


def _operands(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Every operand and argument: its parent, the field and the index in it."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            found += [(node, "left", None), (node, "right", None)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] not in PLAIN:
            found += [(node, "args", n) for n in range(len(node.args))]
    return [place for place in found if not isinstance(_at(*place), ast.Constant | ast.Starred)]


def _at(owner: ast.AST, field: str, position: int | None) -> ast.expr:
    value = getattr(owner, field)
    return value if position is None else value[position]  # type: ignore[no-any-return]


def _detach(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "detach", ast.Load()), [], [])


def _cut(tree: ast.Module) -> Iterator[Program]:
    """An operand is detached where nothing should be."""
    for changed, function in functions(tree):
        for place in islice(_operands(function), CUTS):
            node = _at(*place)
            if not is_call(node, "detach"):
                program, twin_node = twin(changed, node)
                put(program, twin_node, _detach(copy.deepcopy(node)))
                words = f"`{ast.unparse(node)}` is detached in `{ast.unparse(place[0])}`"
                yield "detached", words, program
                if isinstance(place[0], ast.Call):
                    program, twin_node = twin(changed, node)
                    leaf = ast.Call(ast.Attribute(_detach(copy.deepcopy(node)), "requires_grad_", ast.Load()), [], [])
                    put(program, twin_node, leaf)
                    yield "detached", f"{words}, and made a leaf", program


def _detaches(function: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Call) and is_call(node, "detach")]


def _inner(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _uncut(tree: ast.Module) -> Iterator[Program]:
    """Several detaches of a function are removed, or one covers only a part of its expression."""
    for changed, function in functions(tree):
        count = len(_detaches(function))
        for size in (2, 3):
            for chosen in combinations(range(min(count, SITES)), size):
                program, same = twin(changed, function)
                for site in [_detaches(same)[n] for n in chosen]:
                    put(program, site, _inner(site))
                yield "undetached", f"{size} detaches of {function.name} are left out", program
        for n, site in enumerate(_detaches(function)):
            for side in ("left", "right"):
                if isinstance(_inner(site), ast.BinOp):
                    program, same = twin(changed, function)
                    site_twin = _detaches(same)[n]
                    inner = _inner(site_twin)
                    setattr(inner, side, _detach(getattr(inner, side)))
                    put(program, site_twin, inner)
                    yield "undetached", f"of `{ast.unparse(_inner(site))}` only the {side} operand is detached", program


def _other_side(tree: ast.Module) -> Iterator[Program]:
    """The other operand is detached."""
    for changed, function in functions(tree):
        count = min(len(_detaches(function)), SITES)
        for size in range(1, count + 1):
            for chosen in combinations(range(count), size):
                program, same = twin(changed, function)
                if all(_turned(same, site) for site in [_detaches(same)[n] for n in chosen]):
                    yield "other-side", f"detach() is on the other side in {function.name} ({size} times)", program


def _turned(function: ast.AST, site: ast.Call) -> bool:
    """Moves one detach to the other operand of the operation that uses its result, directly or through a name."""
    owner = next((place[0] for place in _operands(function) if _at(*place) is site), None)
    inner = _inner(site)
    if owner is not None:
        put(function, site, inner)
        return _detach_others(function, owner, inner)
    for statement, name in named(function):
        if statement.value is site:
            owners = [(place[0], _at(*place)) for place in _operands(function) if _is_name(_at(*place), name)]
            put(function, site, inner)
            return bool(owners) and all(_detach_others(function, owner, node) for owner, node in owners)
    return False


def _detach_others(function: ast.AST, owner: ast.AST, kept: ast.expr) -> bool:
    others = [_at(*place) for place in _operands(function) if place[0] is owner and _at(*place) is not kept]
    for node in others:
        put(owner, node, _detach(node))
    return bool(others)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


# -- what is computed once, and what is weighed -------------------------------------------------------------------------


def _recomputed(tree: ast.Module) -> Iterator[Program]:
    """A value that is computed once under a name is recomputed at every use."""
    for changed, function in functions(tree):
        for statement, name in named(function):
            if not isinstance(statement.value, ast.Call | ast.BinOp) or len(loads(function, name)) < 2:
                continue
            program, same = twin(changed, function)
            assert isinstance(same, ast.FunctionDef)
            for use in loads(same, name):
                put(program, use, copy.deepcopy(statement.value))
            put(program, next(node for node, other in named(same) if other == name), ast.Pass())
            yield "recomputed", f"`{ast.unparse(statement.value)}` is computed at every use", program


def _weights(tree: ast.Module) -> Iterator[Program]:
    """The weight of one term of a sum is applied to the other."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            product = node.right
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
                program, same = twin(tree, node)
                moved = ast.BinOp(ast.BinOp(product.left, ast.Mult(), node.left), ast.Add(), product.right)
                put(program, same, copy.deepcopy(moved))
                yield "weight-moved", f"`{ast.unparse(product.left)}` weighs the other term", program


def _factors(tree: ast.Module) -> Iterator[Program]:
    """A named product is used twice; one use lacks a factor or applies it twice."""
    for changed, function in functions(tree):
        for statement, name in named(function):
            value = statement.value
            uses = len(loads(function, name))
            if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Div):
                continue
            bare, text = f"{name}_bare", ast.unparse(value.right)
            again = f"{name} {'*' if isinstance(value.op, ast.Mult) else '/'} ({text})"
            for chosen in (*([n] for n in range(uses)), list(range(uses))):
                for operator, replaced in (("drop-factor-once", bare), ("factor-twice", again)):
                    program, same = twin(changed, function)
                    for use in [loads(same, name)[n] for n in chosen]:
                        put(program, use, expr(replaced))
                    kept = next(node for node, other in named(same) if other == name)
                    before = ast.Assign([ast.Name(bare, ast.Store())], copy.deepcopy(value.left), lineno=1)
                    kept.value = ast.BinOp(ast.Name(bare, ast.Load()), value.op, copy.deepcopy(value.right))
                    put(program, kept, [before, kept])
                    yield operator, f"`{text}` goes into {name} with `{replaced}`", program


# -- gradients that are asked for --------------------------------------------------------------------------------------


def _through_grad(tree: ast.Module) -> Iterator[Program]:
    """`backward` and `.grad` replace `torch.autograd.grad`: not cleared, cleared too late, or `.grad` returned without a
    copy."""
    for changed, function in functions(tree):
        for statement, name in named(function):
            call = statement.value
            if not (isinstance(call, ast.Call) and ast.unparse(call.func).endswith("autograd.grad") and len(call.args) == 2):
                continue
            loss, params = (ast.unparse(arg) for arg in call.args)
            keep = next((ast.unparse(k.value) for k in call.keywords if k.arg == "retain_graph"), "False")
            clear = f"for p_ in {params}:\n    p_.grad = None\n"
            run = f"{loss}.backward(retain_graph={keep})\n"
            copies = f"{name} = [None if p_.grad is None else p_.grad.clone() for p_ in {params}]\n"
            itself = f"{name} = [p_.grad for p_ in {params}]\n"
            for operator, words, text in (
                ("not-cleared", ".grad is never cleared", run + copies),
                ("not-cleared", ".grad is cleared after each pass only", run + copies + clear),
                ("aliased", ".grad itself is handed out", clear + run + itself),
                ("aliased", ".grad itself is handed out, and never cleared", run + itself),
            ):
                program, same = twin(changed, statement)
                put(program, same, statements(text))
                yield operator, words, program
                if text.startswith(run):
                    yield from _cleared_once(program, function, params, clear, operator, words)


def _cleared_once(
    program: ast.Module, function: ast.FunctionDef, params: str, clear: str, operator: str, words: str
) -> Iterator[Program]:
    changed = copy.deepcopy(program)
    for other in ast.walk(changed):
        if isinstance(other, ast.FunctionDef) and other.name != function.name and params in {a.arg for a in other.args.args}:
            other.body[:0] = statements(clear)
            yield operator, f"{words} but at the start", changed


def _filtered(tree: ast.Module) -> Iterator[Program]:
    """None is dropped from a list where a replacement is required."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.IfExp) and "None" in ast.unparse(node.elt.test):
            program, same = twin(tree, node)
            assert isinstance(same, ast.ListComp) and isinstance(same.elt, ast.IfExp)
            same.generators[-1].ifs.append(ast.UnaryOp(ast.Not(), same.elt.test))
            same.elt = same.elt.orelse
            yield "filtered", f"without those for which `{ast.unparse(node.elt.test)}`", program


HABITS: tuple[Callable[[ast.Module], Iterator[Program]], ...] = (
    _uncut,
    _other_side,
    _cut,
    _recomputed,
    _weights,
    _factors,
    _through_grad,
    _filtered,
)
