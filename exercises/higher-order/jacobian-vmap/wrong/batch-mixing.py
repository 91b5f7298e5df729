"""f is applied to the whole batch at once."""

import torch


def jacobian(f, x):
    p = x.detach().clone().requires_grad_()
    y = f(p)
    if not y.requires_grad:
        return torch.zeros(y.shape + x.shape, dtype=x.dtype)
    rows = []
    for entry in y.reshape(-1):
        (row,) = torch.autograd.grad(entry, p, retain_graph=True, materialize_grads=True)
        rows.append(row)
    return torch.stack(rows).reshape(y.shape + x.shape)


def batch_jacobian(f, xb):
    p = xb.detach().clone().requires_grad_()
    y = f(p)
    if not y.requires_grad:
        return torch.zeros(len(xb), y.shape[-1], xb.shape[-1], dtype=xb.dtype)
    rows = []
    for k in range(y.shape[-1]):
        (row,) = torch.autograd.grad(y[..., k].sum(), p, retain_graph=True, materialize_grads=True)
        rows.append(row)
    return torch.stack(rows, dim=1)
