"""One list for all tensors: a default argument is created only once."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t, log=[]):
    log.clear()
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
