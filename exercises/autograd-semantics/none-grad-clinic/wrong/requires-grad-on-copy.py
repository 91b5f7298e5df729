"""The copies require grad, and their gradients are returned or added as if the copies were w."""

import torch


def clinic_1(data):
    w = torch.tensor(data, requires_grad=True)
    loss = (w ** 2).sum()
    loss.backward()
    return w.grad


def clinic_2(data):
    w = torch.tensor(data) * 0.5
    w.requires_grad_()
    loss = (w ** 3).sum()
    loss.backward()
    return w.grad


def clinic_3(w):
    w.grad = None
    h = w.exp().detach().requires_grad_()
    loss = (h * w).sum()
    loss.backward()
    return w.grad + h.grad


def clinic_4(w):
    h = torch.tensor((w * 3).tolist(), dtype=w.dtype, requires_grad=True)
    loss = (h ** 2).sum()
    loss.backward()
    return h.grad


def clinic_5(w):
    w.grad = None
    h = w.sin().detach().requires_grad_()
    loss = (h * h).sum() + w.sum()
    loss.backward()
    return w.grad + h.grad


def clinic_6(w, u):
    w.grad = u.grad = None
    loss = (2 * w).sum()
    loss.backward()
    return w.grad, torch.zeros_like(u)
