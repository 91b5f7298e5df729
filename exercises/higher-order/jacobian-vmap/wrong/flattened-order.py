"""The Jacobian is left as a matrix, whatever the shapes."""

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
    return torch.stack(rows).reshape(y.numel(), x.numel())


def batch_jacobian(f, xb):
    return torch.stack([jacobian(f, sample) for sample in xb])
