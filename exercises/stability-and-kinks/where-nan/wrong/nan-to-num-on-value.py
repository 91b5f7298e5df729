"""nan and -inf are replaced in the value."""

import torch


def safe_log(x):
    return torch.nan_to_num(torch.log(x), nan=0.0, neginf=0.0)


def safe_sqrt(x):
    return torch.nan_to_num(torch.sqrt(x), nan=0.0)


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
