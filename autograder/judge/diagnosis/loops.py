"""Generates wrong versions with mistakes in loops that call backward: microbatches, and states that are carried over."""

import ast
import copy
from collections.abc import Callable, Iterator
from itertools import product

from autograder.judge.diagnosis.habits import Program, expr, is_call, put, statements, twin

TURN = "turn_"


def loops(tree: ast.AST) -> list[ast.For]:
    """Loops that contain a backward pass."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    return [loop for loop in found if any(_backward(node) for node in ast.walk(loop))]


def _backward(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward"


def _passes(loop: ast.AST) -> list[ast.Expr]:
    return [node for node in ast.walk(loop) if isinstance(node, ast.Expr) and _backward(node.value)]


def _in_copy(tree: ast.Module, loop: ast.For) -> tuple[ast.Module, ast.For]:
    program, same = twin(tree, loop)
    assert isinstance(same, ast.For)
    return program, same


def _counted(program: ast.Module, loop: ast.For) -> None:
    """Adds a counter to a loop."""
    put(program, loop, [*statements(f"{TURN} = -1"), loop])
    loop.body[:0] = statements(f"{TURN} += 1")


# -- portions ----------------------------------------------------------------------------------------------------------


def _portions(tree: ast.Module) -> Iterator[Program]:
    """A loop over `range(0, rows, size)`: a dropped partial microbatch, or wrong weights."""
    for loop in loops(tree):
        if not (isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "range" and len(loop.iter.args) == 3):
            continue
        begin, rows, size = (ast.unparse(arg) for arg in loop.iter.args)
        everything = f"range({begin}, {rows}, {size})"
        full, at_least_one = f"{rows} - {size} + 1", f"max({rows} - {size} + 1, 1)"
        equal = (f"1 / len({everything})", f"min({size}, {rows}) / {rows}", f"{size} / {rows}")
        count = f"1 / max({rows} // {size}, 1)"
        for weight in (*equal, count):
            yield from _weighed(tree, loop, "equal-weights", everything, weight)
        yield from _mean_of_means(tree, loop, everything)
        for end, last_weight in product((full, at_least_one), ("", count, *equal)):
            yield from _weighed(tree, loop, "drops-last", f"range({begin}, {end}, {size})", last_weight)
        program, same = _in_copy(tree, loop)
        if isinstance(loop.iter.args[2], ast.Name):
            put(program, same, [*statements(f"{size} = {rows}"), same])
            yield "one-step", "everything is one portion", program


def _mean_of_means(tree: ast.Module, loop: ast.For, over: str) -> Iterator[Program]:
    """The gradients are weighted, but the returned loss is the plain mean of the microbatch losses."""
    program, same = _in_copy(tree, loop)
    totals = [node for node in ast.walk(same) if isinstance(node, ast.AugAssign) and ".item()" in ast.unparse(node.value)]
    if totals and _shares(same):
        share = ast.unparse(_shares(same)[0])
        for total in totals:
            total.value = expr(f"({ast.unparse(total.value)}) / ({share}) / len({over})")
        yield "equal-weights", "only in what is returned", program


def _shares(loop: ast.For) -> list[ast.BinOp]:
    """The weights of microbatches: quotients that contain a length."""
    quotients = [node for node in ast.walk(loop) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    return [node for node in quotients if ast.unparse(node.left).startswith("len(")]


def _weighed(tree: ast.Module, loop: ast.For, operator: str, over: str, weight: str) -> Iterator[Program]:
    """Replaces every weight of a microbatch by `weight`."""
    program, same = _in_copy(tree, loop)
    same.iter = expr(over)
    shares = _shares(same)
    for share in shares if weight else ():
        put(program, share, expr(weight))
    if shares or not weight:
        yield operator, f"over {over}, each with the weight {weight or 'it had'}", program


# -- what outlives a turn ----------------------------------------------------------------------------------------------


def _chained(tree: ast.Module) -> Iterator[Program]:
    """One detach, all of them, or those of every other iteration have no effect. The graph is retained, so the program runs."""
    for loop in loops(tree):
        function = next(f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and loop in ast.walk(f))
        count = len(_cuts(function))
        inside = [n for n, cut in enumerate(_cuts(function)) if cut in list(ast.walk(loop))]
        for n in range(count):
            for form in ("{0}", f"{{0}}.detach() if {TURN} % 2 else {{0}}", f"{{0}} if {TURN} % 2 else {{0}}.detach()"):
                if n in inside or form == "{0}":
                    yield "chained", f"place {n + 1} is detached as in `{form}`", _with_cuts(tree, function, {n: form})
        if count > 1:
            yield "discarded", "no detach() has an effect", _with_cuts(tree, function, dict.fromkeys(range(count), "{0}"))


def _cuts(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_call(node, "detach")]


def _with_cuts(tree: ast.Module, function: ast.AST, forms: dict[int, str]) -> ast.Module:
    """The last value is still returned detached; otherwise this would be the only visible effect."""
    program, same = twin(tree, function)
    cuts = _cuts(same)
    for n, form in forms.items():
        func = cuts[n].func
        assert isinstance(func, ast.Attribute)
        put(program, cuts[n], expr(form.format(ast.unparse(func.value))))
    for node in ast.walk(same):
        if _backward(node):
            assert isinstance(node, ast.Call)
            node.keywords = [ast.keyword("retain_graph", ast.Constant(True))]
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            node.value.elts = [_returned(item, same) for item in node.value.elts]
    if any(TURN in form for form in forms.values()):
        for loop in loops(same):
            _counted(program, loop)
    return program


def _returned(item: ast.expr, function: ast.AST) -> ast.expr:
    """Detaches the returned values that the function detaches elsewhere."""
    text = ast.unparse(item)
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == text]
    lists = any(isinstance(node.value, ast.List | ast.Constant) for node in assigned)
    return expr(f"{text}.detach()") if isinstance(item, ast.Name) and assigned and not lists else item


def _one_backward(tree: ast.Module) -> Iterator[Program]:
    """The losses are added up, and there is a single backward pass at the end."""
    for loop in loops(tree):
        program, same = _in_copy(tree, loop)
        (first, *more) = _passes(same)
        if more:
            continue
        assert isinstance(first.value, ast.Call) and isinstance(first.value.func, ast.Attribute)
        put(program, first, statements(f"sum_ = sum_ + {ast.unparse(first.value.func.value)}"))
        ending = statements("if torch.is_tensor(sum_):\n    sum_.backward()")
        put(program, same, [*statements("import torch\nsum_ = 0.0"), same, *ending])
        yield "backward-after-loop", "one backward pass after the loop", program


def _recorded(tree: ast.Module) -> Iterator[Program]:
    """Recording is disabled, so only the first iteration computes a gradient, or none does."""
    for loop in loops(tree):
        program, same = _in_copy(tree, loop)
        for node in _passes(same):
            put(program, node, ast.If(expr(f"{TURN} == 0"), [node], []))
        _counted(program, same)
        yield "unrecorded", "a backward pass in the first turn alone", program
        program, same = _in_copy(tree, loop)
        for node in _passes(same):
            put(program, node, ast.Pass())
        put(program, same, [*statements("import torch"), ast.With([ast.withitem(expr("torch.no_grad()"))], [same])])
        yield "unrecorded", "the loop runs under no_grad", program


def _turned(tree: ast.Module) -> Iterator[Program]:
    """The statements of an iteration start at another one, or there is no loop."""
    for loop in loops(tree):
        for n in range(1, len(loop.body)):
            program, same = _in_copy(tree, loop)
            same.body = [*same.body[n:], *same.body[:n]]
            yield "move", f"a turn begins with its statement {n + 1}", program
        program, same = _in_copy(tree, loop)
        put(program, same, ast.Pass())
        yield "drop-statement", "no turn is made", program


def _rates(tree: ast.Module) -> Iterator[Program]:
    """A step in the wrong direction, a step of length 1 for each gradient, or one divided by the learning rate."""
    rates = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "lr"]
    for operator, form in (("sign", "-({0})"), ("rate-ignored", "1.0"), ("mul-div", "1 / ({0})")):
        program = copy.deepcopy(tree)
        for node in ast.walk(program):
            if isinstance(node, ast.keyword) and node.arg == "lr":
                node.value = expr(form.format(ast.unparse(node.value)))
        if rates:
            yield operator, f"every learning rate as in `{form.format('lr')}`", program


HABITS: tuple[Callable[[ast.Module], Iterator[Program]], ...] = (
    _portions,
    _chained,
    _one_backward,
    _recorded,
    _turned,
    _rates,
)
