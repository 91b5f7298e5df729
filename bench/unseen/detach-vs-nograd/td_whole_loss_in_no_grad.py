# Mistake: td_loss computes the whole loss inside no_grad
# True: both-detached
import torch


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        target = r + gamma * v_next
        loss = ((v - target) ** 2).mean()
    return loss


def siam_loss(p1, z1, p2, z2):
    a = torch.nn.functional.cosine_similarity(p1, z2.detach(), dim=1).mean()
    b = torch.nn.functional.cosine_similarity(p2, z1.detach(), dim=1).mean()
    return -(a + b) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
