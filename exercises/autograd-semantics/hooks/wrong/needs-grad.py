import torch


def scaled(t, c):
    out = t.clone()
    out.register_hook(lambda g: g * c)
    return out


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
