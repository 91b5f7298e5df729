"""All upstream gradients in one batched call, on the graph of a single forward pass."""

import torch


def jacobian(f, x):
    point = x.detach().clone().requires_grad_()
    y = f(point)
    if not y.requires_grad:
        return x.new_zeros(y.shape + x.shape, requires_grad=False)
    units = torch.eye(y.numel(), dtype=y.dtype).reshape(-1, *y.shape)
    (rows,) = torch.autograd.grad(y, point, units, is_grads_batched=True, allow_unused=True)
    return x.new_zeros(y.shape + x.shape) if rows is None else rows.reshape(y.shape + x.shape)


def batch_jacobian(f, xb):
    return torch.stack([jacobian(f, sample) for sample in xb.unbind()])
