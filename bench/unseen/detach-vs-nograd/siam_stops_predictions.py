# Mistake: siam_loss detaches p1 and p2 instead of z1 and z2
# True: wrong-branch
import torch
import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    target = (r + gamma * v_next).detach()
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    p1 = p1.detach()
    p2 = p2.detach()
    return -0.5 * (F.cosine_similarity(p1, z2, dim=1).mean() + F.cosine_similarity(p2, z1, dim=1).mean())


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
