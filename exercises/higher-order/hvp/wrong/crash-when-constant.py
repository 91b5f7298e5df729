"""Takes for granted that f and its gradient depend on x; a linear or constant f raises an error."""

import torch


def hvp(f, x, v):
    t = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(t), t, create_graph=True)
    (hv,) = torch.autograd.grad(g, t, grad_outputs=v.detach())
    return hv
