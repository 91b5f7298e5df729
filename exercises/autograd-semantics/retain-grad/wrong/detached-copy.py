"""Each function works on a detached copy: only the last copy gets a gradient."""

import torch


def intermediate_grads(fs, x):
    copies = []
    h = x
    for f in fs:
        h = h.detach().requires_grad_()
        copies.append(h)
        h = f(h)
    h.backward()
    return [c.grad if c.grad is not None else torch.zeros_like(c) for c in copies] + [torch.ones_like(h)]
