# Held out. Mistake: in q of vq the code e is not detached, so the upstream gradient goes to e as well as to z
# True: missing-stop-gradient
import torch


def _cos(p, z):
    num = (p * z).sum(dim=1)
    return num / (p.norm(dim=1) * z.norm(dim=1))


def td_loss(v, v_next, r, gamma):
    with torch.no_grad():
        target = r + gamma * v_next
    error = v - target
    return (error * error).mean()


def siam_loss(p1, z1, p2, z2):
    with torch.no_grad():
        t1 = z1.clone()
        t2 = z2.clone()
    return -0.5 * (_cos(p1, t2).mean() + _cos(p2, t1).mean())


def vq(z, e, beta):
    # z - sg(z) is zero, with the slope of z: straight-through
    slope_of_z = z - z.detach()
    q = e + slope_of_z

    z_fixed, e_fixed = z.detach(), e.detach()
    loss = (z_fixed - e).pow(2).mean() + beta * (z - e_fixed).pow(2).mean()
    return q, loss
