import torch


def clip_global_norm_(params, max_norm):
    params = [p for p in params if p.grad is not None]
    if not params:
        return torch.tensor(0.0)
    norm = torch.sqrt(sum((p.grad ** 2).sum() for p in params))
    if torch.isfinite(norm) and norm > max_norm:
        scale = max_norm / norm
        for p in params:
            p.grad.mul_(scale)
    return norm.item()
