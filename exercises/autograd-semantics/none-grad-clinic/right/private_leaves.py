"""Backward on private leaves, so that no .grad of the caller is touched."""

import torch


def gradient_of(loss, values):
    leaf = values.detach().clone().requires_grad_()
    loss(leaf).backward()
    return leaf.grad


def clinic_1(data):
    return gradient_of(lambda w: (w * w).sum(), torch.as_tensor(data))


def clinic_2(data):
    return gradient_of(lambda w: (w**3).sum(), 0.5 * torch.as_tensor(data))


def clinic_3(w):
    return gradient_of(lambda t: torch.sum(t * torch.exp(t)), w)


def clinic_4(w):
    return gradient_of(lambda t: (3 * t).square().sum(), w)


def clinic_5(w):
    return gradient_of(lambda t: t.sin().square().sum() + t.sum(), w)


def clinic_6(w, u):
    return gradient_of(lambda t: (2 * t).sum(), w), gradient_of(lambda t: (0 * t).sum(), u)
