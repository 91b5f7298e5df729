"""The result is t itself with a hook."""

import torch


def scaled(t, c):
    if t.requires_grad:
        t.register_hook(lambda grad: c * grad)
    return t


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
