"""The gradients are recorded and keep their graph."""

import torch


def intermediate_grads(fs, x):
    hs = [x]
    for f in fs:
        hs.append(f(hs[-1]))
    return list(torch.autograd.grad(hs[-1], hs, create_graph=True))
