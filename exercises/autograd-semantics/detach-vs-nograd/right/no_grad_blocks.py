"""The target is computed under no_grad, and the cosine similarity comes from torch."""

import torch
import torch.nn.functional as F


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        target = r + gamma * v_next
    return F.mse_loss(v, target)


def siam_loss(p1, z1, p2, z2):
    with torch.no_grad():
        z1, z2 = F.normalize(z1, dim=1), F.normalize(z2, dim=1)
    p1, p2 = F.normalize(p1, dim=1), F.normalize(p2, dim=1)
    return -0.5 * ((p1 * z2).sum(dim=1).mean() + (p2 * z1).sum(dim=1).mean())


def vq(z, e, beta):
    with torch.no_grad():
        step, fixed_z, fixed_e = e - z, z.clone(), e.clone()
    return z + step, F.mse_loss(e, fixed_z) + beta * F.mse_loss(z, fixed_e)
