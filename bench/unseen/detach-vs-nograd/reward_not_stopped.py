# Held out. Mistake: only v_next is detached, the reward still receives a gradient
# True: missing-stop-gradient
import torch


def td_loss(v, v_next, r, gamma):
    return ((v - (r + gamma * v_next.detach())) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    a = torch.nn.functional.cosine_similarity(p1, z2.detach(), dim=1).mean()
    b = torch.nn.functional.cosine_similarity(p2, z1.detach(), dim=1).mean()
    return -(a + b) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
