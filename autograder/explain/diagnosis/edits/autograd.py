"""Mistakes of autograd users: guards and reductions that are left out, custom Functions, where graphs are cut, what is computed
once, and how gradients are asked for.

`training` has those in loops over steps.
"""

import ast
import copy
from collections.abc import Iterator
from itertools import combinations, islice

from autograder.explain.diagnosis.edits.syntax import (
    Program,
    Rewrite,
    each,
    expr,
    is_method,
    loads,
    named,
    nodes,
    owner,
    put,
    statements,
    text,
    twin,
)

MAX_DETACHES = 5  # of a function, combined with each other
MAX_OPERANDS = 30  # of a function, detached one at a time
OUTSIDE_GRAPHS = ("range", "len", "zip", "enumerate", "append", "grad", "zeros_like", "backward")

# -- constants and guards ------------------------------------------------------------------------------------------------


def _upstreams(tree: ast.Module) -> Iterator[Program]:
    """The gradient of another value is used in place of the result's."""
    for changed, node in each(tree, ast.Attribute):
        if node.attr == "grad" and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            was = node.value.id
            for other in ("out", "other", "self"):
                if other != was:
                    node.value = ast.Name(other, ast.Load())
                    yield "wrong-upstream", f"`{other}.grad` for `{was}.grad`", copy.deepcopy(changed)


def _constants(tree: ast.Module) -> Iterator[Program]:
    for changed, node in each(tree, ast.Constant):
        was = node.value
        if isinstance(was, int | float) and not isinstance(was, bool) and was not in (0, 1):
            for value in (was - 1, -was, was / 2, was * 2):
                node.value = value
                yield "constant", f"{was} becomes {value}", copy.deepcopy(changed)


def _guards(tree: ast.Module) -> Iterator[Program]:
    """An early return for a special case is removed, or only the special case remains."""
    for changed, node in each(tree, ast.If):
        if not node.orelse:
            leaves = isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
            words = "an early return is left out" if leaves else f"what is done if `{text(node.test)}` is left out"
            node.test = ast.Constant(False)
            yield "guard" if leaves else "drop-statement", words, changed
    for changed, choice in each(tree, ast.IfExp):
        put(changed, choice, choice.orelse)
        yield "guard", f"`{text(choice.test)}` is not asked", changed


def _reductions(tree: ast.Module) -> Iterator[Program]:
    """A sum over axes is removed."""
    for changed, node in each(tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean"):
            words = f"without `{text(node)}`"
            put(changed, node, node.func.value)
            yield "no-reduction", words, changed


# -- custom Functions ----------------------------------------------------------------------------------------------------


def _saved(tree: ast.Module) -> Iterator[Program]:
    """Wrong ways to save tensors for backward."""
    plain = text(tree)
    if "save_for_backward" not in plain:
        return
    detached = "tuple(t.detach() for t in ctx.saved_tensors)"
    yield "detach-saved", "saved tensors are detached before use", ast.parse(plain.replace("ctx.saved_tensors", detached))
    changed = ast.parse(plain.replace("ctx.saved_tensors", "ctx.kept"))
    for node in nodes(changed, ast.Expr):
        if isinstance(node.value, ast.Call) and "save_for_backward" in text(node.value.func):
            node.value = expr(f"setattr(ctx, 'kept', ({', '.join(map(text, node.value.args))},))")
    yield "ctx-attribute", "tensors are kept as attributes of ctx", changed
    for changed, call in each(tree, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "save_for_backward":
            call.args = [item if isinstance(item, ast.Starred) else expr("x.clone()", x=item) for item in call.args]
            yield "saved-copy", "what is saved is computed in forward: neither input nor output", changed


def _backwards(tree: ast.Module) -> Iterator[Program]:
    """A backward that cannot be differentiated, or that returns too many gradients."""
    for function in nodes(tree, ast.FunctionDef):
        if function.name != "backward" or not function.args.args or function.args.args[0].arg != "ctx":
            continue
        for words, decorator in (
            ("declared once differentiable", "__import__('torch').autograd.function.once_differentiable"),
            ("computed without recording", "__import__('torch').no_grad()"),
        ):
            changed, same = twin(tree, function)
            same.decorator_list.append(expr(decorator))
            yield "not-recorded", f"backward is {words}", changed
        for form in ("({0}, None)", "(None, {0})", "({0}, {0})"):
            changed, same = twin(tree, function)
            for item in nodes(same, ast.Return):
                if item.value is not None:
                    item.value = expr(form.format(text(item.value)))
            yield "arity", f"backward returns {form.format('...')}", changed


# -- where a graph is cut ------------------------------------------------------------------------------------------------

Operand = tuple[ast.AST, ast.expr]  # the operation or call, and the operand or argument


def _operands(tree: ast.AST) -> list[Operand]:
    found: list[Operand] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            found += [(node, node.left), (node, node.right)]
        elif isinstance(node, ast.Call) and text(node.func).rpartition(".")[2] not in OUTSIDE_GRAPHS:
            found += [(node, argument) for argument in node.args]
    return [(parent, operand) for parent, operand in found if not isinstance(operand, ast.Constant | ast.Starred)]


def _detach(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "detach", ast.Load()), [], [])


def _detached(tree: ast.Module) -> Iterator[Program]:
    """An operand is detached where nothing should be."""
    for function in nodes(tree, ast.FunctionDef):
        for parent, operand in islice(_operands(function), MAX_OPERANDS):
            if is_method(operand, "detach"):
                continue
            words = f"`{text(operand)}` is detached in `{text(parent)}`"
            program, same = twin(tree, operand)
            put(program, same, _detach(same))
            yield "detached", words, program
            if isinstance(parent, ast.Call):
                program, same = twin(tree, operand)
                put(program, same, expr("x.detach().requires_grad_()", x=operand))
                yield "detached", f"{words}, and made a leaf", program


def _detaches(function: ast.AST) -> list[ast.Call]:
    return [node for node in nodes(function, ast.Call) if is_method(node, "detach")]


def _undetached(tree: ast.Module) -> Iterator[Program]:
    """Several detaches of a function are removed, or one covers only a part of its expression."""
    for function in nodes(tree, ast.FunctionDef):
        detaches = _detaches(function)
        for size in (2, 3):
            for chosen in combinations(range(min(len(detaches), MAX_DETACHES)), size):
                program, same = twin(tree, function)
                for call in [_detaches(same)[n] for n in chosen]:
                    put(program, call, owner(call))
                yield "undetached", f"{size} detaches of {function.name} are left out", program
        for call in detaches:
            for side in ("left", "right"):
                if isinstance(owner(call), ast.BinOp):
                    program, same_call = twin(tree, call)
                    whole = owner(same_call)
                    setattr(whole, side, _detach(getattr(whole, side)))
                    put(program, same_call, whole)
                    yield "undetached", f"of `{text(owner(call))}` only the {side} operand is detached", program


def _other_side(tree: ast.Module) -> Iterator[Program]:
    """The other operand is detached."""
    for function in nodes(tree, ast.FunctionDef):
        count = min(len(_detaches(function)), MAX_DETACHES)
        for size in range(1, count + 1):
            for chosen in combinations(range(count), size):
                program, same = twin(tree, function)
                if all(_turned(same, call) for call in [_detaches(same)[n] for n in chosen]):
                    yield "other-side", f"detach() is on the other side in {function.name} ({size} times)", program


def _turned(function: ast.AST, call: ast.Call) -> bool:
    """Moves one detach to the other operand of the operation that uses its result, directly or through a name."""
    inner = owner(call)
    users = [(parent, inner) for parent, operand in _operands(function) if operand is call][:1]
    if not users:
        name = next((name for statement, name in named(function) if statement.value is call), None)
        users = [(parent, operand) for parent, operand in _operands(function) if _is_name(operand, name)]
    if users:
        put(function, call, inner)
    return bool(users) and all(_detach_others(function, *user) for user in users)


def _detach_others(function: ast.AST, parent: ast.AST, kept: ast.expr) -> bool:
    others = [operand for owned, operand in _operands(function) if owned is parent and operand is not kept]
    for operand in others:
        put(parent, operand, _detach(operand))
    return bool(others)


def _is_name(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


# -- what is computed once, and what is weighted -------------------------------------------------------------------------


def _recomputed(tree: ast.Module) -> Iterator[Program]:
    """A value that is computed once under a name is recomputed at every use."""
    for function in nodes(tree, ast.FunctionDef):
        for statement, name in named(function):
            if isinstance(statement.value, ast.Call | ast.BinOp) and len(loads(function, name)) > 1:
                program, same = twin(tree, function)
                for use in loads(same, name):
                    put(program, use, copy.deepcopy(statement.value))
                put(program, _assignment(same, name), ast.Pass())
                yield "recomputed", f"`{text(statement.value)}` is computed at every use", program


def _assignment(function: ast.AST, name: str) -> ast.Assign:
    return next(statement for statement, other in named(function) if other == name)


def _weights(tree: ast.Module) -> Iterator[Program]:
    """The weight of one term of a sum is applied to the other."""
    for node in nodes(tree, ast.BinOp):
        match node:
            case ast.BinOp(op=ast.Add(), right=ast.BinOp(left=weight, op=ast.Mult(), right=term)):
                program, same = twin(tree, node)
                put(program, same, expr("weight * left + term", weight=weight, left=node.left, term=term))
                yield "weight-moved", f"`{text(weight)}` weighs the other term", program


def _factors(tree: ast.Module) -> Iterator[Program]:
    """A named product is used twice; one use lacks a factor or applies it twice."""
    for function in nodes(tree, ast.FunctionDef):
        for statement, name in named(function):
            value = statement.value
            if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Div):
                continue
            bare, factor = f"{name}_bare", text(value.right)
            again = f"{name} {'*' if isinstance(value.op, ast.Mult) else '/'} ({factor})"
            uses = range(len(loads(function, name)))
            for chosen in (*([n] for n in uses), list(uses)):
                for operator, replaced in (("drop-factor-once", bare), ("factor-twice", again)):
                    program, same = twin(tree, function)
                    for use in [loads(same, name)[n] for n in chosen]:
                        put(program, use, expr(replaced))
                    kept = _assignment(same, name)
                    before = ast.Assign([ast.Name(bare, ast.Store())], copy.deepcopy(value.left), lineno=1)
                    kept.value = ast.BinOp(ast.Name(bare, ast.Load()), value.op, copy.deepcopy(value.right))
                    put(program, kept, [before, kept])
                    yield operator, f"`{factor}` goes into {name} with `{replaced}`", program


# -- gradients that are asked for ----------------------------------------------------------------------------------------


def _through_grad(tree: ast.Module) -> Iterator[Program]:
    """`backward` and `.grad` replace `torch.autograd.grad`: not cleared, cleared too late, or `.grad` returned without a
    copy."""
    for function in nodes(tree, ast.FunctionDef):
        for statement, name in named(function):
            call = statement.value
            if not (isinstance(call, ast.Call) and text(call.func).endswith("autograd.grad") and len(call.args) == 2):
                continue
            loss, params = map(text, call.args)
            keep = next((text(keyword.value) for keyword in call.keywords if keyword.arg == "retain_graph"), "False")
            clear = f"for p_ in {params}:\n    p_.grad = None\n"
            run = f"{loss}.backward(retain_graph={keep})\n"
            copies = f"{name} = [None if p_.grad is None else p_.grad.clone() for p_ in {params}]\n"
            itself = f"{name} = [p_.grad for p_ in {params}]\n"
            for operator, words, template in (
                ("not-cleared", ".grad is never cleared", run + copies),
                ("not-cleared", ".grad is cleared after each pass only", run + copies + clear),
                ("aliased", ".grad itself is handed out", clear + run + itself),
                ("aliased", ".grad itself is handed out, and never cleared", run + itself),
            ):
                program, same = twin(tree, statement)
                put(program, same, statements(template))
                yield operator, words, program
                if template.startswith(run):
                    for changed in _cleared_at_start(program, function.name, params, clear):
                        yield operator, f"{words} but at the start", changed


def _cleared_at_start(program: ast.Module, asking: str, params: str, clear: str) -> Iterator[ast.Module]:
    """Every other function that receives the parameters clears their gradients first."""
    changed = copy.deepcopy(program)
    for function in nodes(changed, ast.FunctionDef):
        if function.name != asking and params in {argument.arg for argument in function.args.args}:
            function.body[:0] = statements(clear)
            yield changed


def _filtered(tree: ast.Module) -> Iterator[Program]:
    """None is dropped from a list where a replacement is required."""
    for program, node in each(tree, ast.ListComp):
        if isinstance(node.elt, ast.IfExp) and "None" in text(node.elt.test):
            words = f"without those for which `{text(node.elt.test)}`"
            node.generators[-1].ifs.append(ast.UnaryOp(ast.Not(), node.elt.test))
            node.elt = node.elt.orelse
            yield "filtered", words, program


REWRITES: tuple[Rewrite, ...] = (_upstreams, _constants, _guards, _reductions, _saved, _backwards)
HABITS: tuple[Rewrite, ...] = (
    _undetached,
    _other_side,
    _detached,
    _recomputed,
    _weights,
    _factors,
    _through_grad,
    _filtered,
)
