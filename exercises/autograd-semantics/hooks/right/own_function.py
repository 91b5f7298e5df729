"""A custom Function that scales, and a callable object that records."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, c):
        ctx.c = c
        return t.clone()

    @staticmethod
    def backward(ctx, g):
        return ctx.c * g, None


class Recorder:
    def __init__(self):
        self.log = []

    def __call__(self, grad):
        with torch.no_grad():
            self.log.append(grad.clone())


def scaled(t, c):
    return Scale.apply(t, c)


def record(t):
    recorder = Recorder()
    return recorder.log, t.register_hook(recorder)
