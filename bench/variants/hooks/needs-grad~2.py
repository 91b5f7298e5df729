"""A tensor that does not require grad is made to."""

import torch


def scaled(t, c):
    out = t.clone()
    if not out.requires_grad:
        out.requires_grad_()
    out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
