"""The factor is applied always, with a small constant in the divisor: exactly at the limit the gradients shrink a little."""

import torch


def clip_global_norm_(params, max_norm):
    params = [p for p in params if p.grad is not None]
    if not params:
        return 0.0
    norm = torch.sqrt(sum((p.grad ** 2).sum() for p in params))
    if torch.isfinite(norm):
        scale = min(1.0, max_norm / (norm.item() + 1e-6))
        for p in params:
            p.grad.mul_(scale)
    return norm.item()
