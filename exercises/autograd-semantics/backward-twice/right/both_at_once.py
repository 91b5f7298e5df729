"""One batched backward pass for both losses: the rows of the identity are the upstream gradients."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    losses = torch.stack([head_a(h), head_b(h)])
    pairs = torch.autograd.grad(
        losses, params, torch.eye(2, dtype=losses.dtype), is_grads_batched=True, allow_unused=True
    )
    pairs = [torch.zeros(2, *p.shape, dtype=p.dtype) if g is None else g for p, g in zip(params, pairs)]
    return [g[0].clone() for g in pairs], [g[1].clone() for g in pairs]
