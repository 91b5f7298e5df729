import torch
from torch.nn.utils import clip_grad_value_


def clip_global_norm_(params, max_norm):
    params = [p for p in params if p.grad is not None]
    norm = sum((p.grad.pow(2).sum().item() for p in params), 0.0) ** 0.5
    if norm < float("inf"):
        clip_grad_value_(params, max_norm)
    return norm
