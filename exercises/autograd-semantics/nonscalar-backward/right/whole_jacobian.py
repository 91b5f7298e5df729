"""The whole Jacobian is computed once, and the answers are cut out of it."""

import torch
from torch.autograd.functional import jacobian


def _matrix(f, x):
    """The Jacobian as a matrix, and the shape of f(x)."""
    full = jacobian(f, x.detach())
    shape = full.shape[: full.dim() - x.dim()]
    return full.detach().reshape(shape.numel(), x.numel()), shape


def vjp(f, x, v):
    J, _ = _matrix(f, x)
    return (v.reshape(1, -1) @ J).reshape(x.shape)


def jacobian_row(f, x, i):
    J, _ = _matrix(f, x)
    return J[i].reshape(x.shape).clone()


def jacobian_col(f, x, j):
    J, shape = _matrix(f, x)
    return J[:, j].reshape(shape).clone()
