"""One forward pass for each backward pass."""

import torch


def intermediate_grads(fs, x):
    def forward():
        hs = [x]
        for f in fs:
            hs.append(f(hs[-1]))
        return hs

    grads = []
    for k in range(len(fs) + 1):
        hs = forward()
        grads += torch.autograd.grad(hs[-1], hs[k], retain_graph=True)
    return grads
