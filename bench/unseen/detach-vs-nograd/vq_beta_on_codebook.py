# Mistake: beta weights the codebook term instead of the commitment term
# True: wrong-branch
import torch


def td_loss(v, v_next, r, gamma):
    target = (r + gamma * v_next).detach()
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    a = torch.nn.functional.cosine_similarity(p1, z2.detach(), dim=1).mean()
    b = torch.nn.functional.cosine_similarity(p2, z1.detach(), dim=1).mean()
    return -(a + b) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = beta * ((z.detach() - e) ** 2).mean() + ((z - e.detach()) ** 2).mean()
    return q, loss
