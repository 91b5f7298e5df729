"""The hook runs when .grad is written, which is not the case with autograd.grad."""

import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []

    def hook(p):
        new = p.grad.detach().clone()
        log.append(new - seen[0] if seen else new)
        seen[:] = [new]

    seen = []
    if t.is_leaf:
        return log, t.register_post_accumulate_grad_hook(hook)
    return log, t.register_hook(lambda g: log.append(g.detach().clone()))
