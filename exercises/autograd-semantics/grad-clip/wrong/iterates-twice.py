"""The second loop over a generator finds nothing."""

import math


def clip_global_norm_(params, max_norm):
    total = 0.0
    for p in params:
        if p.grad is not None:
            total += p.grad.pow(2).sum().item()
    norm = math.sqrt(total)
    if math.isfinite(norm) and norm > max_norm:
        for p in params:
            if p.grad is not None:
                p.grad.mul_(max_norm / norm)
    return norm
