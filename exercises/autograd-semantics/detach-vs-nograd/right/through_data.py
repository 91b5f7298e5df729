""".data instead of detach(): not recommended, but correct here."""

import torch


def td_loss(v, v_next, r, gamma):
    return torch.mean((v - r.data - gamma * v_next.data) ** 2)


def siam_loss(p1, z1, p2, z2):
    similarity = torch.cosine_similarity
    return -(similarity(p1, z2.data, dim=1) + similarity(p2, z1.data, dim=1)).mean() / 2


def vq(z, e, beta):
    q = e.data + (z - z.data)
    loss = torch.mean((e - z.data) ** 2 + beta * (z - e.data) ** 2)
    return q, loss
