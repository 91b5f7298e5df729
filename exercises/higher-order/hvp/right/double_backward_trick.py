"""H^T u is linear in u. Differentiating it with respect to u gives H v without using symmetry."""

import torch


def _pull(y, x, upstream):
    """The upstream gradient times the Jacobian of y with respect to x, with a graph; zeros if y does not depend on x."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(y, x, upstream, create_graph=True, materialize_grads=True)[0]


def hvp(f, x, v):
    point = x.detach().requires_grad_()
    u = torch.zeros_like(point, requires_grad=True)
    y = f(point)
    gradient = _pull(y, point, torch.ones_like(y))
    return _pull(_pull(gradient, point, u), u, v.detach()).detach()
