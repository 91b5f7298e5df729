"""The zeros for u are built from the gradient of w, so they have the shape of w."""

import torch


def clinic_1(data):
    w = torch.tensor(data, dtype=torch.float32, requires_grad=True)
    w.square().sum().backward()
    return w.grad


def clinic_2(data):
    w = torch.nn.Parameter(torch.tensor(data, dtype=torch.float32) * 0.5)
    w.pow(3).sum().backward()
    return w.grad


def gradient(f, *tensors):
    grads = torch.autograd.grad(f(*tensors), tensors, allow_unused=True)
    first = grads[0]
    return tuple(torch.zeros_like(first) if g is None else g for g in grads)


def clinic_3(w):
    return gradient(lambda t: (t.exp() * t).sum(), w)[0]


def clinic_4(w):
    return gradient(lambda t: (t * 3).square().sum(), w)[0]


def clinic_5(w):
    return gradient(lambda t: t.sin().square().sum() + t.sum(), w)[0]


def clinic_6(w, u):
    return gradient(lambda a, b: (2 * a).sum(), w, u)
