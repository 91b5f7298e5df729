"""Rows and columns of the matrix are exchanged."""

import torch
from torch.autograd.functional import jacobian


def _matrix(f, x):
    x = x.detach()
    y = f(x)
    return jacobian(f, x).detach().reshape(y.numel(), x.numel()), y.shape


def vjp(f, x, v):
    J, _ = _matrix(f, x)
    return (v.flatten() @ J).reshape(x.shape)


def jacobian_row(f, x, i):
    J, shape = _matrix(f, x)
    return J[:, i].reshape(x.shape)


def jacobian_col(f, x, j):
    J, shape = _matrix(f, x)
    return J[j].reshape(shape)
