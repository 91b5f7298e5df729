"""Writes the steps of a forward function, and those of its backward pass, as Python for NumPy or torch."""

import ast
from collections.abc import Sequence

from autograder.prove.from_function.steps import Forward, Library, Operand, Shape, Step

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@"}
FUNCTIONAL = ("softplus", "silu")  # in torch.nn.functional
Line = tuple[str, str]  # a name, and what is assigned to it


def forward_lines(forward: Forward, library: Library) -> list[Line]:
    return [(step.name, _tidy(_value(step, library))) for step in forward.steps]


def backward_lines(
    forward: Forward, library: Library, *, upstream: str = "g", reduced: bool = True
) -> tuple[list[Line], list[str]]:
    """The lines of a backward pass, with those of the forward pass that they need, and the gradients of the inputs.

    Without `reduced`, gradients of operands that were broadcast keep the shape of the result, which is a mistake.
    """
    terms: dict[str, list[str]] = {forward.result: [upstream]}
    lines: list[Line] = []
    shapes = forward.shapes
    for step in reversed(forward.steps):
        if step.name not in terms:
            continue
        gradient = _joined(terms.pop(step.name), f"g_{step.name}", lines)
        for operand, share in zip(step.operands, _shares(step, gradient, shapes, library), strict=True):
            if isinstance(operand, str):
                if step.operation in _BY_ENTRY and reduced:
                    share = _summed(share, step.shape, shapes[operand], library)
                terms.setdefault(operand, []).append(_tidy(share))
    gradients = []
    for name in forward.inputs:
        zeros = f"{_module(library)}.zeros_like({name})"
        gradients.append(_joined(terms.get(name, [zeros]), f"g_{name}", lines))
    return [*_needed(forward_lines(forward, library), lines, gradients), *lines], gradients


def _joined(terms: Sequence[str], name: str, lines: list[Line]) -> str:
    """A name for a sum of terms. What has a name already keeps it."""
    if len(terms) == 1 and terms[0].isidentifier():
        return terms[0]
    lines.append((name, _tidy(" + ".join(f"({term})" for term in terms))))
    return name


def _needed(forward: Sequence[Line], backward: Sequence[Line], gradients: Sequence[str]) -> list[Line]:
    """The lines of the forward pass that the backward pass uses, directly or through others."""
    used = {*gradients, *(name for _, value in backward for name in _names(value))}
    kept: list[Line] = []
    for name, value in reversed(forward):
        if name in used:
            kept.insert(0, (name, value))
            used |= _names(value)
    return kept


def _names(value: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(value)) if isinstance(node, ast.Name)}


def _tidy(value: str) -> str:
    """The expression with no more parentheses than it needs."""
    return ast.unparse(ast.parse(value, mode="eval").body)


def _module(library: Library) -> str:
    return "np" if library == "numpy" else "torch"


# -- forward -----------------------------------------------------------------------------------------------------------


def _value(step: Step, library: Library) -> str:
    operands = [_text(operand) for operand in step.operands]
    if step.operation in SIGNS:
        return f"{operands[0]} {SIGNS[step.operation]} {operands[1]}"
    if step.operation == "neg":
        return f"-{operands[0]}"
    if step.operation == "transpose":
        return f"{operands[0]}.T"
    if step.operation in ("sum", "mean"):
        return f"{operands[0]}.{step.operation}({_options(step.axes, step.keepdims, step, library)})"
    if step.operation in ("softmax", "log_softmax", "logsumexp"):
        assert step.axes is not None
        kept = ", keepdim=True" if step.keepdims else ""
        return f"torch.{step.operation}({operands[0]}, dim={step.axes[0]}{kept})"
    if step.operation in ("maximum", "minimum") and library == "torch" and not isinstance(step.operands[1], str):
        return f"torch.clamp({operands[0]}, {step.operation[:3]}={operands[1]})"
    inside = "nn.functional." if step.operation in FUNCTIONAL else ""
    return f"{_module(library)}.{inside}{step.operation}({', '.join(operands)})"


def _options(axes: tuple[int, ...] | None, keepdims: bool, step: Step, library: Library) -> str:
    axis, kept = ("axis", "keepdims") if library == "numpy" else ("dim", "keepdim")
    assert axes is not None
    rank = len(step.shape) if step.keepdims else len(step.shape) + len(axes)
    options = [] if len(axes) == rank and not keepdims else [f"{axis}={axes[0] if len(axes) == 1 else axes}"]
    return ", ".join(options + ([f"{kept}=True"] if keepdims else []))


def _text(operand: Operand) -> str:
    return operand if isinstance(operand, str) else repr(operand) if operand >= 0 else f"({operand!r})"


# -- backward ----------------------------------------------------------------------------------------------------------

_BY_ENTRY = (
    *("add", "sub", "mul", "div", "pow", "neg", "maximum", "minimum"),
    *("exp", "log", "log1p", "expm1", "sqrt", "tanh", "sin", "cos", "abs", "square", "sigmoid", "relu", "softplus", "silu"),
)


def _shares(step: Step, g: str, shapes: dict[str, Shape], library: Library) -> list[str]:
    """What each operand receives of the gradient `g` of a result, before it is summed over axes that were broadcast."""
    m, y = _module(library), step.name
    a, *rest = (_text(operand) for operand in step.operands)
    b = rest[0] if rest else ""
    if step.operation == "pow":
        return [_share_of_power(g, a, step.operands[1]), ""]
    if step.operation == "matmul":
        left, right = (len(shapes[str(operand)]) for operand in step.operands)
        return _shares_of_product(g, a, b, left, right, m)
    if step.operation in ("sum", "mean", "logsumexp"):
        return [_share_of_reduction(step, g, a, len(shapes[a]), library)]
    if step.operation in ("softmax", "log_softmax"):
        assert step.axes is not None
        total = f"sum(dim={step.axes[0]}, keepdim=True)"
        softmax = f"{y} * ({g} - ({g} * {y}).{total})"
        return [softmax if step.operation == "softmax" else f"{g} - torch.exp({y}) * {g}.{total}"]
    sigmoid = f"torch.sigmoid({a})"
    return {
        "add": [g, g],
        "sub": [g, f"-{g}"],
        "mul": [f"{g} * {b}", f"{g} * {a}"],
        "div": [f"{g} / {b}", f"-{g} * {a} / {b} ** 2"],
        "neg": [f"-{g}"],
        "transpose": [f"{g}.T"],
        "maximum": [f"{g} * ({a} > {b})", f"{g} * ({b} >= {a})"],
        "minimum": [f"{g} * ({a} < {b})", f"{g} * ({b} <= {a})"],
        "exp": [f"{g} * {y}"],
        "log": [f"{g} / {a}"],
        "log1p": [f"{g} / (1 + {a})"],
        "expm1": [f"{g} * ({y} + 1)"],
        "sqrt": [f"{g} / (2 * {y})"],
        "tanh": [f"{g} * (1 - {y} ** 2)"],
        "sin": [f"{g} * {m}.cos({a})"],
        "cos": [f"-{g} * {m}.sin({a})"],
        "abs": [f"{g} * {m}.sign({a})"],
        "square": [f"2 * {a} * {g}"],
        "sigmoid": [f"{g} * {y} * (1 - {y})"],
        "relu": [f"{g} * ({a} > 0)"],
        "softplus": [f"{g} * {sigmoid}"],
        "silu": [f"{g} * {sigmoid} * (1 + {a} * (1 - {sigmoid}))"],
    }[step.operation]


def _share_of_power(g: str, a: str, exponent: Operand) -> str:
    assert not isinstance(exponent, str)
    lower = exponent - 1
    power = "" if lower == 0 else f" * {a}" if lower == 1 else f" * {a} ** {_text(lower)}"
    return f"{g} * {_text(exponent)}{power}"


def _shares_of_product(g: str, a: str, b: str, rank_of_a: int, rank_of_b: int, m: str) -> list[str]:
    if (rank_of_a, rank_of_b) == (2, 2):
        return [f"{g} @ {b}.T", f"{a}.T @ {g}"]
    if (rank_of_a, rank_of_b) == (2, 1):
        return [f"{m}.outer({g}, {b})", f"{a}.T @ {g}"]
    if (rank_of_a, rank_of_b) == (1, 2):
        return [f"{b} @ {g}", f"{m}.outer({a}, {g})"]
    return [f"{g} * {b}", f"{g} * {a}"]


def _share_of_reduction(step: Step, g: str, a: str, rank: int, library: Library) -> str:
    """The gradient of a sum, in the shape of what was summed."""
    axes = step.axes or ()
    in_front = axes == tuple(range(len(axes)))  # then the gradient is broadcast as it is
    if step.operation == "logsumexp":
        return f"{_with_axes(g, axes, step, library)} * torch.softmax({a}, dim={axes[0]})"
    spread = g if step.keepdims or in_front else _with_axes(g, axes, step, library)
    whole = f"{_module(library)}.broadcast_to({spread}, {a}.shape)"
    if step.operation == "sum":
        return whole
    if len(axes) == rank:
        return f"{whole} / {a}.{'size' if library == 'numpy' else 'numel()'}"
    return f"{whole} / {' / '.join(f'{a}.shape[{n}]' for n in axes)}"


def _with_axes(g: str, axes: tuple[int, ...], step: Step, library: Library) -> str:
    """The gradient with the axes that the reduction has removed, each of size 1."""
    if step.keepdims or not axes:
        return g
    if library == "numpy":
        return f"np.expand_dims({g}, {axes[0] if len(axes) == 1 else axes})"
    return g + "".join(f".unsqueeze({n})" for n in axes)


def _summed(share: str, result: Shape, operand: Shape, library: Library) -> str:
    """A gradient in the shape of a result, summed to that of an operand that was broadcast."""
    added = len(result) - len(operand)
    stretched = tuple(n for n, letter in enumerate(operand) if letter == "1" and result[added + n] != "1")
    axis, kept = ("axis", "keepdims") if library == "numpy" else ("dim", "keepdim")
    if added:
        share = f"({share}).sum({axis}={0 if added == 1 else tuple(range(added))})"
    if stretched:
        share = f"({share}).sum({axis}={stretched[0] if len(stretched) == 1 else stretched}, {kept}=True)"
    return share
