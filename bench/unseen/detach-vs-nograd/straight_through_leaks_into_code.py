# Held out. Mistake: in q the code e is not detached, so the upstream gradient of q reaches e as well as z.
import torch


def sg(t):
    return t.detach()


def cos(a, b):
    return torch.cosine_similarity(a, b, dim=1)


def td_loss(v, v_next, r, gamma):
    return torch.mean((v - sg(r + gamma * v_next)) ** 2)


def siam_loss(p1, z1, p2, z2):
    return -0.5 * (cos(p1, sg(z2)).mean() + cos(p2, sg(z1)).mean())


def vq(z, e, beta):
    loss = torch.mean((sg(z) - e) ** 2) + beta * torch.mean((z - sg(e)) ** 2)
    q = e + (z - sg(z))
    return q, loss
