"""H^T u is linear in u; differentiating it by u in the direction v gives H v without using symmetry."""

import torch


def _pull(y, x, upstream):
    """upstream times the Jacobian of y by x, with a graph; zeros where nothing connects them."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(y, x, upstream, create_graph=True, materialize_grads=True)[0]


def hvp(f, x, v):
    point = x.detach().requires_grad_()
    u = torch.zeros_like(point, requires_grad=True)
    y = f(point)
    gradient = _pull(y, point, torch.ones_like(y))
    return _pull(_pull(gradient, point, u), u, v.detach()).detach()
