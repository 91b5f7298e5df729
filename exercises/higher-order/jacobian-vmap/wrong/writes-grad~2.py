"""requires_grad of the argument stays switched on."""

import torch


def jacobian(f, x):
    p = x.requires_grad_()
    y = f(p)
    if not y.requires_grad:
        return torch.zeros(y.shape + x.shape, dtype=x.dtype)
    rows = []
    for entry in y.reshape(-1):
        (row,) = torch.autograd.grad(entry, p, retain_graph=True, materialize_grads=True)
        rows.append(row)
    return torch.stack(rows).reshape(y.shape + x.shape)


def batch_jacobian(f, xb):
    return torch.stack([jacobian(f, sample.detach()) for sample in xb])
