# Mistake: siam_loss stops no gradient at all
# True: missing-stop-gradient
import torch


def td_loss(v, v_next, r, gamma):
    target = (r + gamma * v_next).detach()
    return ((v - target) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    cos = torch.nn.CosineSimilarity(dim=1)
    return -(cos(p1, z2).mean() + cos(p2, z1).mean()) * 0.5


def vq(z, e, beta):
    q = z + (e - z).detach()
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
