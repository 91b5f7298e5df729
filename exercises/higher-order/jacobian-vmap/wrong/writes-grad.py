"""Works on the caller's tensor and collects the rows in its .grad."""

import torch


def jacobian(f, x):
    x.requires_grad_()
    y = f(x)
    rows = []
    for entry in y.reshape(-1):
        x.grad = None
        if entry.requires_grad:
            entry.backward(retain_graph=True)
        rows.append(torch.zeros_like(x) if x.grad is None else x.grad.clone())
    return torch.stack(rows).detach().reshape(y.shape + x.shape)


def batch_jacobian(f, xb):
    return torch.stack([jacobian(f, sample.detach().clone()) for sample in xb])
