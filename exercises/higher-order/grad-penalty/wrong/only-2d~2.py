"""The norm runs over the last axis only."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x.detach().clone().requires_grad_()
    out = critic(points)
    (grad,) = torch.autograd.grad(out, points, torch.ones_like(out), create_graph=True)
    norm = torch.linalg.vector_norm(grad, dim=-1)
    return ((norm - target) ** 2).mean()
