"""The handle belongs to another hook."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []
    t.register_hook(lambda g: log.append(g.detach().clone()))
    handle = t.register_hook(lambda g: None)
    return log, handle
