"""set_grad_enabled is called around the part that must not be recorded, and is not undone."""

import torch


def clinic_1(data):
    w = torch.tensor(data).requires_grad_()
    return torch.autograd.grad((w * w).sum(), w)[0]


def clinic_2(data):
    torch.set_grad_enabled(False)
    w = torch.tensor(data) * 0.5
    torch.set_grad_enabled(True)
    w.requires_grad_()
    return torch.autograd.grad((w ** 3).sum(), w)[0]


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
    (g,) = torch.autograd.grad((2 * w).sum(), w)
    torch.set_grad_enabled(False)
    zeros = u * 0
    return g, zeros
