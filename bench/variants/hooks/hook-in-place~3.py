"""Edited in place through .data, and nothing is returned."""

import torch


def scaled(t, c):
    out = t.clone()

    def hook(grad):
        grad.data.mul_(c)

    if out.requires_grad:
        out.register_hook(hook)
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
