"""If the common norm is too large, each gradient is brought to the limit by itself."""

import torch


def clip_global_norm_(params, max_norm):
    params = [p for p in params if p.grad is not None]
    if not params:
        return 0.0
    norm = torch.sqrt(sum((p.grad ** 2).sum() for p in params))
    if torch.isfinite(norm) and norm > max_norm:
        for p in params:
            if p.grad.norm() > 0:
                p.grad.mul_(max_norm / p.grad.norm())
    return norm.item()
