"""allow_unused helps if the graph does not reach x, but not if there is no graph."""

import torch


def nth_derivative(f, x, n):
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(point)
    for _ in range(n):
        (y,) = torch.autograd.grad(y.sum(), point, create_graph=True, allow_unused=True, materialize_grads=True)
    return y
