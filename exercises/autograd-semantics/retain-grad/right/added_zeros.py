"""Leaves of zeros are added on the way, and the gradient of each leaf is that of the sum."""

import torch


def intermediate_grads(fs, x):
    h, zeros = x.detach(), []
    for f in [*fs, None]:
        zeros.append(torch.zeros_like(h, requires_grad=True))
        h = h + zeros[-1]
        if f is not None:
            h = f(h)
    h.backward()
    return [zero.grad for zero in zeros]
