"""requires_grad is set once more on the result of the product."""

import torch


def clinic_1(data):
    w = torch.tensor(data, requires_grad=True)
    loss = (w ** 2).sum()
    loss.backward()
    return w.grad


def clinic_2(data):
    x = torch.tensor(data, requires_grad=True)
    w = (0.5 * x).requires_grad_(True)
    loss = torch.sum(w ** 3)
    loss.backward()
    return w.grad


def clinic_3(w):
    w.grad = None
    h = w.exp()
    loss = (h * w).sum()
    loss.backward()
    return w.grad


def clinic_4(w):
    w.grad = None
    h = w * 3
    loss = (h ** 2).sum()
    loss.backward()
    return w.grad


def clinic_5(w):
    w.grad = None
    h = w.sin()
    loss = (h * h).sum() + w.sum()
    loss.backward()
    return w.grad


def clinic_6(w, u):
    w.grad = u.grad = None
    loss = (2 * w).sum()
    loss.backward()
    return w.grad, torch.zeros_like(u)
