import torch


def scaled(t, c):
    out = t + 0.0
    if out.requires_grad:
        def hook(grad):
            grad.mul(c)
            return grad
        out.register_hook(hook)
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
