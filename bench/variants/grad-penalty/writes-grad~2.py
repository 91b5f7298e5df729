"""backward also fills the .grad of every parameter of the critic."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    points = x.detach().clone().requires_grad_()
    critic(points).sum().backward(create_graph=True)
    grad = points.grad
    norm = grad.reshape(len(x), -1).norm(2, dim=1)
    return ((norm - target) ** 2).mean()
