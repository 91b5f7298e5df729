# Held out. Mistake: td_loss detaches only v_next, so the gradient still reaches r
# True: missing-stop-gradient
import torch
import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    target = r + gamma * v_next.detach()
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    z1, z2 = z1.detach(), z2.detach()
    a = F.cosine_similarity(p1, z2, dim=1).mean()
    b = F.cosine_similarity(p2, z1, dim=1).mean()
    return -(a + b) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = F.mse_loss(e, z.detach()) + beta * F.mse_loss(z, e.detach())
    return q, loss
