"""The norm of the norms, and one fused multiplication."""

import torch


def clip_global_norm_(params, max_norm):
    grads = [p.grad.detach() for p in params if p.grad is not None]
    if len(grads) == 0:
        return 0.0
    norm = torch.stack(torch._foreach_norm(grads)).norm().item()
    if max_norm < norm < float("inf"):
        torch._foreach_mul_(grads, max_norm / norm)
    return norm
