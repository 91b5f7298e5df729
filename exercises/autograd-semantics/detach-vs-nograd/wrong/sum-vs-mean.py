"""The squared distances are summed over each row and averaged over the rows only: longer codes weigh more."""

import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    return ((v - (r + gamma * v_next).detach()) ** 2).mean()


def siam_loss(p1, z1, p2, z2):
    one = F.cosine_similarity(p1, z2.detach(), dim=1).mean()
    two = F.cosine_similarity(p2, z1.detach(), dim=1).mean()
    return -(one + two) / 2


def vq(z, e, beta):
    q = z + (e - z).detach()
    codes = ((z.detach() - e) ** 2).sum(-1).mean()
    commitment = ((z - e.detach()) ** 2).sum(-1).mean()
    return q, codes + beta * commitment
