"""The gradients are joined to one vector."""

import torch


@torch.no_grad()
def clip_global_norm_(params, max_norm):
    grads = []
    for p in params:
        if p.grad is not None:
            grads.append(p.grad)
    if not grads:
        return 0.0
    vector = torch.cat([g.reshape(-1) for g in grads])
    norm = torch.linalg.vector_norm(vector)
    if torch.isfinite(norm) and norm > max_norm:
        scale = max_norm / (norm + 1e-6)
        for g in grads:
            g.copy_(g * scale)
    return norm.item()
