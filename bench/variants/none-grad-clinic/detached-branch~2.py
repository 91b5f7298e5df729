"""The exponential is a copy that requires grad, and the sine is detached."""

import torch


def clinic_1(data):
    w = torch.tensor(data).requires_grad_()
    return torch.autograd.grad((w * w).sum(), w)[0]


def clinic_2(data):
    w = torch.tensor(data, requires_grad=True) * 0.5
    (g,) = torch.autograd.grad((w ** 3).sum(), w)
    return g


def clinic_3(w):
    h = w.exp().detach().requires_grad_()
    return torch.autograd.grad((h * w).sum(), w)[0]


def clinic_4(w):
    (g,) = torch.autograd.grad(((3 * w) ** 2).sum(), [w])
    return g


def clinic_5(w):
    h = w.sin().data
    h.requires_grad = True
    return torch.autograd.grad((h * h).sum() + w.sum(), w)[0]


def clinic_6(w, u):
    gw, gu = torch.autograd.grad((2 * w).sum(), [w, u], allow_unused=True)
    return gw, torch.zeros_like(u) if gu is None else gu
