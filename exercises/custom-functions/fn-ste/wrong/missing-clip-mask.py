"""The gradient of sign_ste passes everywhere, also far outside of the window."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


def sign_ste(x):
    s = torch.where(x >= 0, 1.0, -1.0).to(x.dtype)
    return s + (x - x.detach())
