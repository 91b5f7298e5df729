"""Mistakes in training loops: when optimisers clear and step, how microbatches are weighted, what outlives an iteration."""

import ast
import copy
from collections.abc import Iterator
from itertools import product

from autograder.explain.diagnosis.edits.syntax import (
    Program,
    Rewrite,
    each,
    expr,
    is_method,
    nodes,
    owner,
    put,
    statements,
    text,
    twin,
)

TURN = "turn_"

# -- optimisers ----------------------------------------------------------------------------------------------------------


def _moved(tree: ast.Module) -> Iterator[Program]:
    """`zero_grad` and `step` at every other position in their loop, and before it."""
    for loop in nodes(tree, ast.For):
        for n, statement in enumerate(loop.body):
            words = text(statement)
            if "zero_grad" not in words and ".step()" not in words:
                continue
            for place in range(len(loop.body)):
                if place != n:
                    program, same = twin(tree, loop)
                    same.body.insert(place, same.body.pop(n))
                    effect = _effect(words, [text(item) for item in same.body], place)
                    yield effect, f"`{words}` moved to {place + 1}", program
            if "zero_grad" in words:
                program, same = twin(tree, loop)
                put(program, same, [same.body.pop(n), same])
                yield "hoist", f"`{words}` before the loop", program


def _effect(moved: str, body: list[str], place: int) -> str:
    """The effect of a moved `zero_grad`: it clears a new gradient, or keeps the gradient of another loss."""
    optimiser = moved.partition(".")[0]
    passes = [n for n, statement in enumerate(body) if ".backward()" in statement]
    steps = [n for n, statement in enumerate(body) if statement.startswith(optimiser + ".step")]
    if "zero_grad" not in moved or not passes or not steps:
        return "move"
    own = max((n for n in passes if n < steps[0]), default=-1)
    if own < place < steps[0]:
        return "zero-before-step"
    return "leak" if len(passes) > 1 else "hoist"


def _cleared_after(tree: ast.Module) -> Iterator[Program]:
    """Every optimiser clears its gradients after its own step, and all of them once before the loop."""
    for changed, loop in each(tree, ast.For):
        zeros = [item for item in loop.body if "zero_grad" in text(item)]
        cleared = {text(item).partition(".")[0]: item for item in zeros}
        body, loop.body = [item for item in loop.body if item not in zeros], []
        for item in body:
            optimiser, _, call = text(item).partition(".")
            loop.body += [item, cleared[optimiser]] if call.startswith("step(") and optimiser in cleared else [item]
        if zeros and any(loop in function.body for function in nodes(changed, ast.FunctionDef)):
            put(changed, loop, [*copy.deepcopy(zeros), loop])
            yield "leak" if len(cleared) > 1 else "hoist", "gradients are cleared after each step", changed


def _rates_of_sums(tree: ast.Module) -> Iterator[Program]:
    """Gradients accumulate, and the learning rate decreases to compensate."""
    for changed, function in each(tree, ast.FunctionDef):
        clearing = [loop for loop in nodes(function, ast.For) if "zero_grad" in text(loop)]
        if len(clearing) != 1 or not {"lr", "steps"} <= {argument.arg for argument in function.args.args}:
            continue
        (loop,) = clearing
        zeros = [item for item in loop.body if "zero_grad" in text(item)]
        loop.body = [item for item in loop.body if item not in zeros]
        put(function, loop, [*zeros, loop])
        fewer, same = twin(changed, function)
        for keyword in nodes(same, ast.keyword):
            if keyword.arg == "lr" and text(keyword.value) == "lr":
                keyword.value = expr("lr / max(steps, 1)")
        yield "rate", "gradients pile up and lr is divided by the steps", fewer
        loop.target = ast.Name(TURN, ast.Store())
        optimisers = [text(item).partition(".")[0] for item in zeros]
        rates = [f"{optimiser}.param_groups[0]['lr'] = lr / ({TURN} + 1)" for optimiser in optimisers]
        loop.body[:0] = statements("\n".join(rates))
        yield "rate", "gradients pile up and lr is divided by the steps so far", changed


def _shared_parameters(tree: ast.Module) -> Iterator[Program]:
    """Every optimiser of a function receives all parameters."""
    for changed, function in each(tree, ast.FunctionDef):
        calls = [
            call
            for call in nodes(function, ast.Call)
            if "optim." in text(call.func) and call.args and isinstance(call.args[0], ast.Name)
        ]
        if len(calls) > 1:
            everything = "[" + ", ".join(f"*{text(call.args[0])}" for call in calls) + "]"
            for call in calls:
                call.args[0] = expr(everything)
            yield "all-parameters", "every optimiser holds all parameters", changed


def _rates(tree: ast.Module) -> Iterator[Program]:
    """A step in the wrong direction, a step of length 1 for each gradient, or one divided by the learning rate."""
    for operator, form in (("sign", "-({0})"), ("rate-ignored", "1.0"), ("mul-div", "1 / ({0})")):
        program = copy.deepcopy(tree)
        rates = [keyword for keyword in nodes(program, ast.keyword) if keyword.arg == "lr"]
        for keyword in rates:
            keyword.value = expr(form.format(text(keyword.value)))
        if rates:
            yield operator, f"every learning rate as in `{form.format('lr')}`", program


# -- loops that call backward --------------------------------------------------------------------------------------------


def _loops(tree: ast.AST) -> list[ast.For]:
    """Loops that contain a backward pass."""
    return [loop for loop in nodes(tree, ast.For) if any(map(_is_backward, ast.walk(loop)))]


def _is_backward(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward"


def _passes(loop: ast.AST) -> list[ast.Expr]:
    return [node for node in nodes(loop, ast.Expr) if _is_backward(node.value)]


def _count(program: ast.Module, loop: ast.For) -> None:
    """Adds a counter to a loop."""
    put(program, loop, [*statements(f"{TURN} = -1"), loop])
    loop.body[:0] = statements(f"{TURN} += 1")


def _portions(tree: ast.Module) -> Iterator[Program]:
    """A loop over `range(0, rows, size)`: a dropped partial microbatch, or wrong weights."""
    for loop in _loops(tree):
        if not (isinstance(loop.iter, ast.Call) and text(loop.iter.func) == "range" and len(loop.iter.args) == 3):
            continue
        begin, rows, size = map(text, loop.iter.args)
        everything = f"range({begin}, {rows}, {size})"
        full, at_least_one = f"{rows} - {size} + 1", f"max({rows} - {size} + 1, 1)"
        equal = (f"1 / len({everything})", f"min({size}, {rows}) / {rows}", f"{size} / {rows}")
        count = f"1 / max({rows} // {size}, 1)"
        for weight in (*equal, count):
            yield from _weighed(tree, loop, "equal-weights", everything, weight)
        yield from _mean_of_means(tree, loop, everything)
        for end, last_weight in product((full, at_least_one), ("", count, *equal)):
            yield from _weighed(tree, loop, "drops-last", f"range({begin}, {end}, {size})", last_weight)
        if isinstance(loop.iter.args[2], ast.Name):
            program, same = twin(tree, loop)
            put(program, same, [*statements(f"{size} = {rows}"), same])
            yield "one-step", "everything is one portion", program


def _mean_of_means(tree: ast.Module, loop: ast.For, over: str) -> Iterator[Program]:
    """The gradients are weighted, but the returned loss is the plain mean of the microbatch losses."""
    program, same = twin(tree, loop)
    totals = [node for node in nodes(same, ast.AugAssign) if ".item()" in text(node.value)]
    shares = _shares(same)
    if totals and shares:
        for total in totals:
            total.value = expr(f"({text(total.value)}) / ({text(shares[0])}) / len({over})")
        yield "equal-weights", "only in what is returned", program


def _shares(loop: ast.For) -> list[ast.BinOp]:
    """The weights of microbatches: quotients that contain a length."""
    quotients = [node for node in nodes(loop, ast.BinOp) if isinstance(node.op, ast.Div)]
    return [node for node in quotients if text(node.left).startswith("len(")]


def _weighed(tree: ast.Module, loop: ast.For, operator: str, over: str, weight: str) -> Iterator[Program]:
    """Replaces every weight of a microbatch by `weight`."""
    program, same = twin(tree, loop)
    same.iter = expr(over)
    shares = _shares(same)
    for share in shares if weight else ():
        put(program, share, expr(weight))
    if shares or not weight:
        yield operator, f"over {over}, each with the weight {weight or 'it had'}", program


def _one_backward(tree: ast.Module) -> Iterator[Program]:
    """The losses are added up, and there is a single backward pass at the end."""
    for loop in _loops(tree):
        program, same = twin(tree, loop)
        (first, *more) = _passes(same)
        if more:
            continue
        assert isinstance(first.value, ast.Call)
        put(program, first, statements(f"sum_ = sum_ + {text(owner(first.value))}"))
        ending = statements("if torch.is_tensor(sum_):\n    sum_.backward()")
        put(program, same, [*statements("import torch\nsum_ = 0.0"), same, *ending])
        yield "backward-after-loop", "one backward pass after the loop", program


def _recorded(tree: ast.Module) -> Iterator[Program]:
    """Recording is disabled, so only the first iteration computes a gradient, or none does."""
    for loop in _loops(tree):
        program, same = twin(tree, loop)
        for node in _passes(same):
            put(program, node, ast.If(expr(f"{TURN} == 0"), [node], []))
        _count(program, same)
        yield "unrecorded", "a backward pass in the first turn alone", program
        program, same = twin(tree, loop)
        for node in _passes(same):
            put(program, node, ast.Pass())
        put(program, same, [*statements("import torch"), ast.With([ast.withitem(expr("torch.no_grad()"))], [same])])
        yield "unrecorded", "the loop runs under no_grad", program


def _turned(tree: ast.Module) -> Iterator[Program]:
    """The statements of an iteration start at another one, or there is no loop."""
    for loop in _loops(tree):
        for n in range(1, len(loop.body)):
            program, same = twin(tree, loop)
            same.body = [*same.body[n:], *same.body[:n]]
            yield "move", f"a turn begins with its statement {n + 1}", program
        program, same = twin(tree, loop)
        put(program, same, ast.Pass())
        yield "drop-statement", "no turn is made", program


# -- values that outlive an iteration ------------------------------------------------------------------------------------


def _chained(tree: ast.Module) -> Iterator[Program]:
    """One detach, all of them, or those of every other iteration have no effect. The graph is retained, so the program runs."""
    for loop in _loops(tree):
        function = next((f for f in nodes(tree, ast.FunctionDef) if loop in ast.walk(f)), tree)
        detached = _detached(function)
        for n, call in enumerate(detached):
            for form in ("{0}", f"{{0}}.detach() if {TURN} % 2 else {{0}}", f"{{0}} if {TURN} % 2 else {{0}}.detach()"):
                if form == "{0}" or call in ast.walk(loop):
                    yield "chained", f"place {n + 1} is detached as in `{form}`", _with_detached(tree, function, {n: form})
        if len(detached) > 1:
            program = _with_detached(tree, function, dict.fromkeys(range(len(detached)), "{0}"))
            yield "discarded", "no detach() has an effect", program


def _detached(tree: ast.AST) -> list[ast.Call]:
    return [node for node in nodes(tree, ast.Call) if is_method(node, "detach")]


def _with_detached(tree: ast.Module, function: ast.AST, forms: dict[int, str]) -> ast.Module:
    """The last value is still returned detached; otherwise this would be the only visible effect."""
    program, same = twin(tree, function)
    detached = _detached(same)
    for n, form in forms.items():
        put(program, detached[n], expr(form.format(text(owner(detached[n])))))
    for call in filter(_is_backward, nodes(same, ast.Call)):
        call.keywords = [ast.keyword("retain_graph", ast.Constant(True))]
    for node in nodes(same, ast.Return):
        if isinstance(node.value, ast.Tuple):
            node.value.elts = [_returned(item, same) for item in node.value.elts]
    if any(TURN in form for form in forms.values()):
        for loop in _loops(same):
            _count(program, loop)
    return program


def _returned(item: ast.expr, function: ast.AST) -> ast.expr:
    """Detaches the returned values that the function detaches elsewhere."""
    assigned = [node for node in nodes(function, ast.Assign) if text(node.targets[0]) == text(item)]
    lists = any(isinstance(node.value, ast.List | ast.Constant) for node in assigned)
    return expr(f"{text(item)}.detach()") if isinstance(item, ast.Name) and assigned and not lists else item


OPTIMISERS: tuple[Rewrite, ...] = (_moved, _cleared_after, _rates_of_sums, _shared_parameters)
LOOPS: tuple[Rewrite, ...] = (_portions, _chained, _one_backward, _recorded, _turned, _rates)
