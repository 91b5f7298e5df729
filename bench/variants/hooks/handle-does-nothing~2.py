import torch


def scaled(t, c):
    out = t.clone()
    if out.requires_grad:
        out.register_hook(lambda g: g * c)
    return out


class Handle:
    def __init__(self, log):
        self.log = log

    def remove(self):
        self.log = None


def record(t):
    log = []
    t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, Handle(log)
