"""The library's function, called only where it does what is asked for."""

import torch
from torch.nn.utils import clip_grad_norm_, get_total_norm


def clip_global_norm_(params, max_norm):
    params = [p for p in params if p.grad is not None]
    if not params:
        return 0.0
    norm = float(get_total_norm([p.grad for p in params]))
    if norm > max_norm and norm != float("inf"):
        clip_grad_norm_(params, max_norm)
    return norm
