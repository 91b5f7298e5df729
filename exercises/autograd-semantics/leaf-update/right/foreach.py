"""All parameters at once, one group for each dtype."""

import torch


def sgd_step(params, lr):
    for dtype in (torch.float32, torch.float64):
        chosen = [p for p in params if p.dtype is dtype and p.grad is not None]
        if not chosen:
            continue
        with torch.inference_mode(False), torch.no_grad():
            torch._foreach_add_(chosen, [p.grad for p in chosen], alpha=-lr)
