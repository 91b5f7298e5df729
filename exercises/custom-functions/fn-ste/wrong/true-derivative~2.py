"""sign_ste has the right value and the true derivative, 0 everywhere."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


def sign_ste(x):
    s = torch.where(x >= 0, 1.0, -1.0).to(x.dtype)
    return s + 0 * x
