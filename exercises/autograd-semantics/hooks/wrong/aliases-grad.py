"""The list holds the gradient tensor itself."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach()))
    return log, handle
