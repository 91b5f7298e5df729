"""Hooks that only look. A function that returns its argument gets two of them on one tensor."""

import torch


def intermediate_grads(fs, x):
    grads = [None] * (len(fs) + 1)

    def keeper(k):
        def keep(g):
            grads[k] = g.detach()

        return keep

    h = x
    handles = []
    for k in range(len(fs) + 1):
        handles.append(h.register_hook(keeper(k)))
        h = fs[k](h) if k < len(fs) else h
    torch.autograd.grad(h, x)
    for handle in handles:
        handle.remove()
    return grads
