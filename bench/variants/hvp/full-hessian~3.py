"""Forms the whole Hessian in one batched call; it is fewer lines, but as many numbers."""

import torch


def hvp(f, x, v):
    n = x.numel()
    hessian = torch.func.hessian(f)(x.detach())
    return (hessian.reshape(n, n) @ v.detach().reshape(n)).reshape(x.shape)
