"""Each gradient is clipped by its own norm; the returned norm is the common one."""

import torch


def clip_global_norm_(params, max_norm):
    total = 0.0
    for p in params:
        if p.grad is None:
            continue
        norm = p.grad.norm()
        total += norm.item() ** 2
        if norm > max_norm and torch.isfinite(norm):
            p.grad.mul_(max_norm / norm)
    return total ** 0.5
