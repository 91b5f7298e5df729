"""The value comes from a detached t, the gradient from a term that is zero. Gradients are copied through numpy."""

import torch


def scaled(t, c):
    part = t * c
    return t.detach() + (part - part.detach())


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(torch.from_numpy(g.detach().numpy().copy())))
    return log, handle
