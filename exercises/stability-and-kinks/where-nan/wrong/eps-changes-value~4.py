"""Safe_norm adds a tiny constant under the root, so the norm of the zero vector is not exactly 0."""

import torch


def _masked(x):
    ok = torch.gt(x, 0)
    return ok, x.masked_fill(~ok, 1.0)


def safe_log(x):
    ok, inner = _masked(x)
    return inner.log().masked_fill(~ok, 0.0)


def safe_sqrt(x):
    ok, inner = _masked(x)
    return inner.sqrt().masked_fill(~ok, 0.0)


def safe_norm(x):
    tiny = 1e-290  # far below the smallest square, 1e-200
    return (x.square().sum() + tiny).sqrt()
