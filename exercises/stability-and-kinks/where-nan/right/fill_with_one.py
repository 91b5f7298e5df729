"""log(1) is 0, so the logarithm needs no second selection. The norm of torch has the gradient 0 at 0."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
