"""A missing gradient is expected, a missing graph is not."""

import torch


def jacobian(f, x):
    p = x.detach().clone().requires_grad_()
    y = f(p)
    rows = [torch.autograd.grad(entry, p, retain_graph=True, materialize_grads=True)[0] for entry in y.reshape(-1)]
    return torch.stack(rows).reshape(y.shape + x.shape)


def batch_jacobian(f, xb):
    return torch.stack([jacobian(f, sample) for sample in xb])
