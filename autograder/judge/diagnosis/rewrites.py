"""Generates wrong versions with mistakes that are larger than one edit: a missing guard, a misplaced statement, a detached
saved tensor.

Unlike `mutants`, each rewrite models a misunderstanding of autograd that was seen in student code: the wrong upstream
gradient, `zero_grad` before the loop, an attribute of ctx instead of a saved tensor. They are made from the author's
reference and have names.
"""

import ast
import copy
from collections.abc import Callable, Iterator

from autograder.judge.mutants import Mutant

Program = tuple[str, str, ast.Module]  # operator, description, program


def generate(source: str) -> list[Mutant]:
    """All rewrites of this reference, without duplicates."""
    tree = ast.parse(source)
    seen, found = {ast.unparse(tree)}, []
    for rewrite in REWRITES:
        for operator, words, program in rewrite(tree):
            text = ast.unparse(ast.fix_missing_locations(program))
            if text not in seen:
                seen.add(text)
                found.append(Mutant(operator, 0, words, text + "\n"))
    return found


def _each(tree: ast.Module, kind: type[ast.AST]) -> Iterator[tuple[ast.Module, ast.AST]]:
    """For every node of a type, a new copy of the program and the corresponding node in it."""
    count = sum(isinstance(node, kind) for node in ast.walk(tree))
    for n in range(count):
        changed = copy.deepcopy(tree)
        yield changed, [node for node in ast.walk(changed) if isinstance(node, kind)][n]


def _put(tree: ast.AST, old: ast.AST, new: ast.expr) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list):
                value[:] = [new if item is old else item for item in value]


def _expr(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


# -- scalar engines -----------------------------------------------------------------------------------------------------


def _upstreams(tree: ast.Module) -> Iterator[Program]:
    """The gradient of another value is used in place of the result's."""
    for changed, node in _each(tree, ast.Attribute):
        assert isinstance(node, ast.Attribute)
        if node.attr == "grad" and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            was = node.value.id
            for other in {"self", "other", "out"} - {was}:
                node.value = ast.Name(other, ast.Load())
                yield "wrong-upstream", f"`{other}.grad` for `{was}.grad`", copy.deepcopy(changed)


# -- constants and guards -----------------------------------------------------------------------------------------------


def _constants(tree: ast.Module) -> Iterator[Program]:
    for changed, node in _each(tree, ast.Constant):
        assert isinstance(node, ast.Constant)
        was = node.value
        if isinstance(was, int | float) and not isinstance(was, bool) and was not in (0, 1):
            for value in (was - 1, -was, was / 2, was * 2):
                node.value = value
                yield "constant", f"{was} becomes {value}", copy.deepcopy(changed)


def _guards(tree: ast.Module) -> Iterator[Program]:
    """An early return for a special case is removed, or only the special case remains."""
    for changed, node in _each(tree, ast.If):
        assert isinstance(node, ast.If)
        if not node.orelse:
            leaves = isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
            words = "an early return is left out" if leaves else f"what is done if `{_text(node.test)}` is left out"
            node.test = ast.Constant(False)
            yield "guard" if leaves else "drop-statement", words, changed
    for changed, node in _each(tree, ast.IfExp):
        assert isinstance(node, ast.IfExp)
        _put(changed, node, node.orelse)
        yield "guard", f"`{_text(node.test)}` is not asked", changed


def _reductions(tree: ast.Module) -> Iterator[Program]:
    """A sum over axes is removed."""
    for changed, node in _each(tree, ast.Call):
        assert isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean"):
            words = f"without `{_text(node)}`"
            _put(changed, node, node.func.value)
            yield "no-reduction", words, changed


# -- custom Functions ---------------------------------------------------------------------------------------------------


def _saved(tree: ast.Module) -> Iterator[Program]:
    """Wrong ways to save tensors for backward."""
    if "save_for_backward" not in _text(tree):
        return
    plain = _text(tree)
    cut = plain.replace("ctx.saved_tensors", "tuple(t.detach() for t in ctx.saved_tensors)")
    yield "detach-saved", "saved tensors are detached before use", ast.parse(cut)
    attribute = plain.replace("ctx.saved_tensors", "ctx.kept")
    changed = ast.parse(attribute)
    for node in list(ast.walk(changed)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and "save_for_backward" in _text(node.value.func):
            node.value = _expr(f"setattr(ctx, 'kept', ({', '.join(_text(a) for a in node.value.args)},))")
    yield "ctx-attribute", "tensors are kept as attributes of ctx", changed
    for changed, node in _each(tree, ast.Call):
        assert isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "save_for_backward":
            node.args = [_expr(f"{_text(a)}.clone()") for a in node.args]
            yield "saved-copy", "what is saved is computed in forward: neither input nor output", changed


def _backwards(tree: ast.Module) -> Iterator[Program]:
    """A backward that cannot be differentiated, or that returns too many gradients."""
    for changed, node in _each(tree, ast.FunctionDef):
        assert isinstance(node, ast.FunctionDef)
        if node.name != "backward" or not node.args.args or node.args.args[0].arg != "ctx":
            continue
        once = copy.deepcopy(changed)
        target = next(n for n in ast.walk(once) if isinstance(n, ast.FunctionDef) and _text(n) == _text(node))
        target.decorator_list.append(_expr("__import__('torch').autograd.function.once_differentiable"))
        yield "not-recorded", "backward is declared once differentiable", once
        unrecorded = copy.deepcopy(changed)
        target = next(n for n in ast.walk(unrecorded) if isinstance(n, ast.FunctionDef) and _text(n) == _text(node))
        target.decorator_list.append(_expr("__import__('torch').no_grad()"))
        yield "not-recorded", "backward is computed without recording", unrecorded
        returns = [n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
        values = [_text(n.value) for n in returns if n.value is not None]
        for form in ("({0}, None)", "(None, {0})", "({0}, {0})"):
            for item, value in zip(returns, values, strict=True):
                item.value = _expr(form.format(value))
            yield "arity", f"backward returns {form.format('...')}", copy.deepcopy(changed)


# -- order of statements ------------------------------------------------------------------------------------------------


def _moved(tree: ast.Module) -> Iterator[Program]:
    """`zero_grad` and `step` at every other position in their loop, and before it."""
    for changed, loop in _each(tree, ast.For):
        assert isinstance(loop, ast.For)
        for n, statement in enumerate(loop.body):
            text = _text(statement)
            if "zero_grad" not in text and ".step()" not in text:
                continue
            for place in range(len(loop.body)):
                if place != n:
                    program = copy.deepcopy(changed)
                    body = next(b for b in ast.walk(program) if isinstance(b, ast.For) and _text(b) == _text(loop)).body
                    body.insert(place, body.pop(n))
                    yield _place(text, [_text(item) for item in body], place), f"`{text}` moved to {place + 1}", program
            if "zero_grad" in text:
                yield "hoist", f"`{text}` before the loop", _hoisted(changed, loop, n)


def _hoisted(tree: ast.Module, loop: ast.For, n: int) -> ast.Module:
    program = copy.deepcopy(tree)
    for parent in ast.walk(program):
        body = getattr(parent, "body", None)
        if isinstance(body, list):
            for at, item in enumerate(body):
                if isinstance(item, ast.For) and _text(item) == _text(loop):
                    body.insert(at, item.body.pop(n))
                    return program
    return program


def _place(moved: str, body: list[str], place: int) -> str:
    """The effect of a moved `zero_grad`: it clears a new gradient, or keeps the gradient of another loss."""
    owner = moved.partition(".")[0]
    backwards = [n for n, text in enumerate(body) if ".backward()" in text]
    steps = [n for n, text in enumerate(body) if text.startswith(owner + ".step")]
    if "zero_grad" not in moved or not backwards or not steps:
        return "move"
    own = max((n for n in backwards if n < steps[0]), default=-1)
    if own < place < steps[0]:
        return "zero-before-step"
    return "leak" if len(backwards) > 1 else "hoist"


def _cleared_after(tree: ast.Module) -> Iterator[Program]:
    """Every optimiser clears its gradients after its own step, and all of them once before the loop."""
    for changed, loop in _each(tree, ast.For):
        assert isinstance(loop, ast.For)
        zeros = [item for item in loop.body if "zero_grad" in _text(item)]
        owners = {_text(item).partition(".")[0]: item for item in zeros}
        body = [item for item in loop.body if item not in zeros]
        loop.body = []
        for item in body:
            loop.body.append(item)
            owner, _, call = _text(item).partition(".")
            if call.startswith("step(") and owner in owners:
                loop.body.append(owners[owner])
        for parent in ast.walk(changed):
            if isinstance(parent, ast.FunctionDef) and loop in parent.body and zeros:
                at = parent.body.index(loop)
                parent.body[at:at] = copy.deepcopy(zeros)
                yield "leak" if len(owners) > 1 else "hoist", "gradients are cleared after each step", changed


def _rates(tree: ast.Module) -> Iterator[Program]:
    """Gradients accumulate, and the learning rate decreases to compensate."""
    for changed, node in _each(tree, ast.FunctionDef):
        assert isinstance(node, ast.FunctionDef)
        loops = [n for n in ast.walk(node) if isinstance(n, ast.For) and "zero_grad" in _text(n)]
        if len(loops) != 1 or not {"lr", "steps"} <= {a.arg for a in node.args.args}:
            continue
        loop = loops[0]
        zero = [item for item in loop.body if "zero_grad" in _text(item)]
        loop.body = [item for item in loop.body if item not in zero]
        at = node.body.index(loop)
        node.body[at:at] = zero
        fewer = ast.parse(_text(changed))
        same = next(n for n in ast.walk(fewer) if isinstance(n, ast.FunctionDef) and n.name == node.name)
        for call in ast.walk(same):
            if isinstance(call, ast.keyword) and call.arg == "lr" and _text(call.value) == "lr":
                call.value = _expr("lr / max(steps, 1)")
        yield "rate", "gradients pile up and lr is divided by the steps", fewer
        loop.target = ast.Name("turn_", ast.Store())
        owners = [_text(item).partition(".")[0] for item in zero]
        loop.body[:0] = ast.parse("\n".join(f"{o}.param_groups[0]['lr'] = lr / (turn_ + 1)" for o in owners)).body
        yield "rate", "gradients pile up and lr is divided by the steps so far", changed


def _optimisers(tree: ast.Module) -> Iterator[Program]:
    """Every optimiser of a function receives all parameters."""
    for changed, node in _each(tree, ast.FunctionDef):
        calls = [
            call
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
            and "optim." in _text(call.func)
            and call.args
            and isinstance(call.args[0], ast.Name)
        ]
        if len(calls) > 1:
            everything = "[" + ", ".join(f"*{_text(call.args[0])}" for call in calls) + "]"
            for call in calls:
                call.args[0] = _expr(everything)
            yield "all-parameters", "every optimiser holds all parameters", changed


REWRITES: tuple[Callable[[ast.Module], Iterator[Program]], ...] = (
    _upstreams,
    _constants,
    _guards,
    _reductions,
    _saved,
    _backwards,
    _moved,
    _cleared_after,
    _rates,
    _optimisers,
)
