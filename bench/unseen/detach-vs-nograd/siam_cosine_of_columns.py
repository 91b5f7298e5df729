# Mistake: the cosine is taken along dimension 0
# True: wrong-axis
import torch


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        target = r + gamma * v_next
    return (v - target).square().mean()


def cosine(p, z):
    z = z.detach()
    return ((p * z).sum(0) / (p.norm(dim=0) * z.norm(dim=0))).mean()


def siam_loss(p1, z1, p2, z2):
    return -0.5 * (cosine(p1, z2) + cosine(p2, z1))


def vq(z, e, beta):
    codes = (z.detach() - e).square().mean()
    encoder = (z - e.detach()).square().mean()

    class Through(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return b.clone()

        @staticmethod
        def backward(ctx, g):
            return g, None

    return Through.apply(z, e.detach()), codes + beta * encoder
