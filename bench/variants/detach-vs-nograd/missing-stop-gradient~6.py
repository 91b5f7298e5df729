import torch


def _cos(a, b):
    return (a * b).sum(dim=1) / (a.norm(dim=1) * b.norm(dim=1))


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        y = r + gamma * v_next
    return (v - y).pow(2).mean()


def siam_loss(p1, z1, p2, z2):
    with torch.no_grad():
        t1 = 1.0 * z1
        t2 = 1.0 * z2
    return -0.5 * (_cos(p1, t2).mean() + _cos(p2, t1).mean())


def vq(z, e, beta):
    # z - sg(z) is zero, but its derivative is 1
    q = e + (z - z.detach())
    codebook = (z.detach() - e).pow(2).mean()
    commit = (z - e.detach()).pow(2).mean()
    return q, codebook + beta * commit
