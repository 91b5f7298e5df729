"""One forward pass, two backward passes: the first one retains the graph of the trunk, the second one frees it."""

from collections.abc import Callable, Sequence

import torch

Tensors = list[torch.Tensor]


def gradients(loss: torch.Tensor, params: Sequence[torch.Tensor], keep: bool) -> Tensors:
    found = torch.autograd.grad(loss, params, retain_graph=keep, allow_unused=True)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(params, found)]


def grads_per_loss(
    trunk: Callable[[torch.Tensor], torch.Tensor],
    head_a: Callable[[torch.Tensor], torch.Tensor],
    head_b: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    params: Sequence[torch.Tensor],
) -> tuple[Tensors, Tensors]:
    h = trunk(x)
    loss_a = head_a(h)
    loss_b = head_b(h)
    grads_a = gradients(loss_a, params, keep=True)
    grads_b = gradients(loss_b, params, keep=False)
    return grads_a, grads_b
