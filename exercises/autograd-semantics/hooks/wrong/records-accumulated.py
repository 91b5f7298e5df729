"""What is logged is .grad after each pass, which adds up."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []

    def hook(g):
        total = g.detach().clone()
        if log:
            total = total + log[-1]
        log.append(total)

    return log, t.register_hook(hook)
