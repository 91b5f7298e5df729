"""The hook is on t itself, and acts on all uses of t."""

import torch


def scaled(t, c):
    if t.requires_grad:
        t.register_hook(lambda g: g * c)
    return t.view_as(t)


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
