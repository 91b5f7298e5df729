"""enable_grad records operations; it does not make a tensor require grad."""

import torch


def clinic_1(data):
    with torch.enable_grad():
        w = torch.tensor(data)
        return torch.autograd.grad((w * w).sum(), w)[0]


def clinic_2(data):
    w = torch.tensor(data, requires_grad=True) * 0.5
    (g,) = torch.autograd.grad((w ** 3).sum(), w)
    return g


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
