# Held out. Mistake: beta multiplies the codebook term instead of the commitment term; the loss has the right value, but e gets beta times its gradient and z the full one.
# True: wrong-branch
import torch
import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        target = r + gamma * v_next
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    a = F.cosine_similarity(p1, z2.detach(), dim=1).mean()
    b = F.cosine_similarity(p2, z1.detach(), dim=1).mean()
    return -(a + b) / 2


def vq(z, e, beta):
    q = e.detach() + (z - z.detach())
    codebook = ((e - z.detach()) ** 2).mean()
    commitment = ((z - e.detach()) ** 2).mean()
    return q, beta * codebook + commitment
