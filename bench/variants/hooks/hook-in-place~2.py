import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, c):
        ctx.c = c
        return t.view_as(t)

    @staticmethod
    def backward(ctx, g):
        g *= ctx.c
        return g, None


def scaled(t, c):
    return Scale.apply(t, c)


def record(t):
    log = []
    handle = t.register_hook(lambda g: log.append(g.detach().clone()))
    return log, handle
