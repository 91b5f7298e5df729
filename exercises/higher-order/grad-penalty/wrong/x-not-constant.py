"""An x that requires grad is used as it is, and the penalty depends on it."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x if x.requires_grad else x.detach().clone().requires_grad_()
    (grad,) = torch.autograd.grad(critic(points).sum(), points, create_graph=True)
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return ((norm - target) ** 2).mean()
