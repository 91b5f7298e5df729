"""The chain starts from a detached copy of x, and zeros are put in for what has no gradient."""

import torch


def intermediate_grads(fs, x):
    h = x.detach().requires_grad_()
    hs = [x]
    for f in fs:
        h = f(h)
        hs.append(h)
    found = torch.autograd.grad(h, hs, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for t, g in zip(hs, found)]
