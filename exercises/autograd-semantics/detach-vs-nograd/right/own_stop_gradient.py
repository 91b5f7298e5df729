"""A custom Function that returns its input and propagates no gradient."""

import torch


class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g)


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, e):
        return e.clone()

    @staticmethod
    def backward(ctx, g):
        return g, None


sg = Stop.apply


def td_loss(v, v_next, r, gamma):
    return (v - sg(r + gamma * v_next)).pow(2).mean()


def siam_loss(p1, z1, p2, z2):
    cos = torch.nn.CosineSimilarity(dim=1)
    return -(cos(p1, sg(z2)).mean() + cos(p2, sg(z1)).mean()) / 2


def vq(z, e, beta):
    loss = ((sg(z) - e) ** 2).mean() + beta * ((z - sg(e)) ** 2).mean()
    return StraightThrough.apply(z, e), loss
