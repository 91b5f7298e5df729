"""What is appended is right; the hook returns the detached copy, so the pass cannot be differentiated again."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []

    def hook(g):
        copy = g.detach().clone()
        log.append(copy)
        return copy

    return log, t.register_hook(hook)
