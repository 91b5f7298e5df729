"""Asks for the gradient of the tensor before it was halved."""

import torch


def clinic_1(data):
    w = torch.tensor(data).requires_grad_()
    return torch.autograd.grad((w * w).sum(), w)[0]


def clinic_2(data):
    leaf = torch.tensor(data).requires_grad_()
    loss = ((0.5 * leaf) ** 3).sum()
    return torch.autograd.grad(loss, leaf)[0]


def clinic_3(w):
    (g,) = torch.autograd.grad((w.exp() * w).sum(), [w])
    return g


def clinic_4(w):
    (g,) = torch.autograd.grad(((3 * w) ** 2).sum(), [w])
    return g


def clinic_5(w):
    (g,) = torch.autograd.grad((w.sin() ** 2 + w).sum(), [w])
    return g


def clinic_6(w, u):
    gw, gu = torch.autograd.grad((2 * w).sum(), [w, u], allow_unused=True)
    return gw, torch.zeros_like(u) if gu is None else gu
