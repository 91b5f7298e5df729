import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []

    def hook(g):
        log.append(torch.clone(g) * 1.0)

    return log, t.register_hook(hook)
