"""The hook multiplies the gradient that it receives."""

import torch


def scaled(t, c):
    out = t.view_as(t)
    if out.requires_grad:
        out.register_hook(lambda g: g.mul_(c))
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
