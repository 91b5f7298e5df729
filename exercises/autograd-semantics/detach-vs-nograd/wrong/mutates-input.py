import torch


def td_loss(v, v_next, r, gamma):
    target = (r + gamma * v_next).detach()
    err = v - target
    return (err * err).mean()


def siam_loss(p1, z1, p2, z2):
    z1.detach_()
    z2.detach_()
    sim = torch.nn.CosineSimilarity(dim=1)
    return -(sim(p1, z2).mean() + sim(p2, z1).mean()) / 2


def vq(z, e, beta):
    diff = (e - z).detach()
    q = z + diff
    loss = ((z.detach() - e) ** 2).mean() + beta * ((z - e.detach()) ** 2).mean()
    return q, loss
