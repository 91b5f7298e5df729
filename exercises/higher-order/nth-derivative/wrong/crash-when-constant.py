"""Every derivative is expected to have a graph; a constant has none."""

import torch


def nth_derivative(f, x, n):
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(point)
    for _ in range(n):
        (y,) = torch.autograd.grad(y.sum(), point, create_graph=True)
    return y
