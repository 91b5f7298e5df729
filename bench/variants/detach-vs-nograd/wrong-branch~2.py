"""siam_loss stops the gradient at the predictions instead of the projections."""

import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    target = (r + gamma * v_next).detach()
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    one = F.cosine_similarity(p1.detach(), z2, dim=1).mean()
    two = F.cosine_similarity(p2.detach(), z1, dim=1).mean()
    return -(one + two) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
