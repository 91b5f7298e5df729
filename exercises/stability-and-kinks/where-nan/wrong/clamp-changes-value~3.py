"""The smallest positive normal number of float32 is the lower limit."""

import torch

TINY = torch.finfo(torch.float32).tiny


def safe_log(x):
    positive = x > 0
    return torch.where(positive, torch.log(torch.clamp(x, min=TINY)), torch.zeros_like(x))


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
