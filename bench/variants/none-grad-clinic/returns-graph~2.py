"""The zeros are computed from u, so they have a history."""

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
    w.grad = None
    loss = (2 * w).sum()
    loss.backward()
    return w.grad, u * 0
