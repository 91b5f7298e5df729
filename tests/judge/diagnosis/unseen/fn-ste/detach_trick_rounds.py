# Held out. Mistake: the detach form is used, which loses the value for large and small numbers
import torch


def round_ste(x):
    return x + (torch.round(x) - x).detach()


def sign_ste(x):
    s = torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))
    c = torch.clamp(x, -1, 1)
    return c + (s - c).detach()
