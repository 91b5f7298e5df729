"""The graph of the critic is kept, but that of the gradient is not recorded."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x.detach().clone().requires_grad_()
    out = critic(points)
    (grad,) = torch.autograd.grad(out, points, torch.ones_like(out), retain_graph=True)
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return ((norm - target) ** 2).mean()
