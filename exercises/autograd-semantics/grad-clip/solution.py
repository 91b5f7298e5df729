"""One norm and one factor for all gradients; nothing changes unless the norm is finite and too large."""

import math
from collections.abc import Iterable

import torch


def clip_global_norm_(params: Iterable[torch.Tensor], max_norm: float) -> float:
    grads = [p.grad for p in params if p.grad is not None]
    norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in grads))
    if math.isfinite(norm) and norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm
