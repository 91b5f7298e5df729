"""Forward over reverse: the directional derivative of the gradient along v."""

import torch


def hvp(f, x, v):
    gradient = torch.func.grad(f)
    _, change = torch.func.jvp(gradient, (x.detach(),), (v.detach(),))
    return change
