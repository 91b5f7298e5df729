"""Runs the chain anew for every result."""

import torch


def intermediate_grads(fs, x):
    grads = []
    for k in range(len(fs) + 1):
        h = x.detach()
        for f in fs[:k]:
            h = f(h).detach()
        h.requires_grad_()
        loss = h
        for f in fs[k:]:
            loss = f(loss)
        grads.append(torch.autograd.grad(loss, h)[0])
    return grads
