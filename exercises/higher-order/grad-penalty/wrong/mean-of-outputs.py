"""The mean of the outputs is differentiated."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x.detach().clone().requires_grad_()
    (grad,) = torch.autograd.grad(critic(points).mean(), points, create_graph=True)
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return ((norm - target) ** 2).mean()
