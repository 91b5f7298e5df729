# TODO(author): the reference solution; it must get full marks
"""The gradient is computed with a graph, multiplied by v, and differentiated again."""

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return (x[:-1] * x[:-1] * x[1:]).sum()


def hvp(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    t = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(t), t, create_graph=True)
    (hv,) = torch.autograd.grad((g * v).sum(), t)
    return hv
