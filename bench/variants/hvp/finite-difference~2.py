"""A difference of two gradients, with the step fitted to the length of v, but still a difference."""

import torch


def hvp(f, x, v):
    v = v.detach()
    length = v.norm()
    if length == 0:
        return torch.zeros_like(v)
    step = 6e-6 * (1 + x.detach().norm()) / length

    def gradient(point):
        t = point.detach().clone().requires_grad_()
        y = f(t)
        if not y.requires_grad:
            return torch.zeros_like(t)
        return torch.autograd.grad(y, t, materialize_grads=True)[0]

    return (gradient(x + step * v) - gradient(x - step * v)).detach() / (2 * step)
