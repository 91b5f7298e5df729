# Held out. Mistake: In vq the two stop gradients are swapped, so beta weights the codebook term instead of the commitment term (the value is unchanged)
# True: wrong-branch
import torch
from torch.nn.functional import cosine_similarity as cos


def sg(t):
    return t.detach()


def td_loss(v, v_next, r, gamma):
    return torch.mean((v - sg(r + gamma * v_next)) ** 2)


def siam_loss(p1, z1, p2, z2):
    return -0.5 * (cos(p1, sg(z2), dim=1).mean() + cos(p2, sg(z1), dim=1).mean())


def vq(z, e, beta):
    q = z + sg(e - z)
    embedding_loss = torch.mean((z - sg(e)) ** 2)
    commitment_loss = torch.mean((sg(z) - e) ** 2)
    return q, embedding_loss + beta * commitment_loss
