"""The square is taken of the norm before the target is subtracted."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x.detach().clone().requires_grad_()
    out = critic(points)
    (grad,) = torch.autograd.grad(out, points, torch.ones_like(out), create_graph=True)
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return (norm**2 - target).pow(2).mean()
