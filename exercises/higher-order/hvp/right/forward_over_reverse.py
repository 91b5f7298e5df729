"""Forward mode through the gradient: how the gradient moves when x moves along v."""

import torch


def hvp(f, x, v):
    gradient = torch.func.grad(f)
    _, change = torch.func.jvp(gradient, (x.detach(),), (v.detach(),))
    return change
