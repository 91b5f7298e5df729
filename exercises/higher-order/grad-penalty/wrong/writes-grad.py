"""The caller's x is switched to requires_grad and left so."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    x.requires_grad_()
    (grad,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return ((norm - target) ** 2).mean()
