"""Forward, backward and double backward of a student's `torch.autograd.Function` at many points in one question.

`apply` and `grad` go through the autograd engine, like a user's program. `backward` calls the Function's own node without
the engine, because the engine would reduce an expanded gradient to the input's shape before it could be checked.
"""

import types
from collections.abc import Callable
from typing import Any

import torch

_grad, _is_tensor, _inference_mode = torch.autograd.grad, torch.is_tensor, torch.inference_mode


def _target(module: types.ModuleType, name: str) -> Callable[..., Any]:
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part)
    return getattr(target, "apply", target)  # type: ignore[no-any-return]


def _outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def _leaves(values: list[Any]) -> list[Any]:
    """Use the very tensors that were sent, not copies or aliases, because the judge checks whether they come back unchanged."""
    return [v.requires_grad_() if _is_tensor(v) and v.is_floating_point() else v for v in values]


def _wanted(values: list[Any]) -> list[torch.Tensor]:
    return [v for v in values if _is_tensor(v) and v.requires_grad]


def _spread(values: list[Any], grads: tuple[Any, ...]) -> list[Any]:
    """Return one entry per argument, with None for arguments that are not differentiable tensors."""
    remaining = iter(grads)
    return [next(remaining) if _is_tensor(v) and v.requires_grad else None for v in values]


def forward(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> list[Any]:
    apply = _target(module, options["name"])
    return [_outputs(apply(*_leaves(xs))) for xs in args[0]]


def vjp(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> list[Any]:
    """For each point `(xs, gs)`, return the outputs and the gradients that the engine delivers to every input."""
    apply = _target(module, options["name"])
    results = []
    for xs, gs in args[0]:
        xs = _leaves(xs)
        outputs = _outputs(apply(*xs))
        results.append([outputs, _spread(xs, _pull(outputs, gs, _wanted(xs), create_graph=False))])
    return results


def second_vjp(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> list[Any]:
    """For each point `(xs, gs, ggs)`, return the gradient of the first vjp, weighted by `ggs`, with respect to every input
    and every upstream gradient."""
    apply = _target(module, options["name"])
    results = []
    for xs, gs, ggs in args[0]:
        xs, gs = _leaves(xs), _leaves(gs)
        grads = _pull(_outputs(apply(*xs)), gs, _wanted(xs), create_graph=True)
        inputs = _wanted(xs) + _wanted(gs)
        second = _pull(list(grads), [g for g, x in zip(ggs, xs, strict=True) if g is not None], inputs, create_graph=False)
        results.append(_spread(xs + gs, second))
    return results


def backward(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> list[Any]:
    """For each point `(xs, gs)`, return what the Function's own backward returned, before the engine processes it.

    With the option `by_formula`, it is called in inference mode, in which autograd records nothing, also within `enable_grad`.
    """
    apply = _target(module, options["name"])
    results = []
    for xs, gs in args[0]:
        output = _outputs(apply(*_leaves(xs)))[0]
        with _inference_mode(options.get("by_formula", False)):
            returned = output.grad_fn.apply(*gs)
        results.append(list(returned) if isinstance(returned, tuple) else [returned])
    return results


def nth(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> Any:
    """Return the n-th derivative of the summed output with respect to the first argument, by repeated backward passes."""
    apply = _target(module, options["name"])
    xs = _leaves(args)
    value = _outputs(apply(*xs))[0]
    for _ in range(options["order"]):
        (value,) = _grad(value.sum(), xs[0], create_graph=True)
    return value.detach()


def _pull(outputs: list[Any], gs: list[Any], inputs: list[torch.Tensor], create_graph: bool) -> tuple[Any, ...]:
    pairs = [(y, g) for y, g in zip(outputs, gs, strict=True) if g is not None and y is not None and y.requires_grad]
    if not pairs or not inputs:
        return tuple(None for _ in inputs)
    ys, ws = zip(*pairs, strict=True)
    return _grad(ys, inputs, ws, create_graph=create_graph, allow_unused=True)
