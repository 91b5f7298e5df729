"""Removes every axis of size 1 in the end."""

import numpy as np

Arr = np.ndarray


def log_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return grad_out / x


def unbroadcast(broadcasted: Arr, original: Arr) -> Arr:
    added = broadcasted.ndim - original.ndim
    summed = broadcasted.sum(axis=tuple(range(added)))
    stretched = tuple(axis for axis, size in enumerate(original.shape) if size == 1)
    return np.squeeze(summed.sum(axis=stretched, keepdims=True))


def multiply_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out * y, x)


def multiply_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(grad_out * x, y)


def forward_and_back(a: Arr, b: Arr, c: Arr) -> tuple[Arr, Arr, Arr]:
    d = a * b
    e = np.log(c)
    f = d * e
    g = np.log(f)
    dg_df = log_back(np.ones_like(g), g, f)
    dg_dd = multiply_back0(dg_df, f, d, e)
    dg_de = multiply_back1(dg_df, f, d, e)
    dg_da = multiply_back0(dg_dd, d, a, b)
    dg_db = multiply_back1(dg_dd, d, a, b)
    return dg_da, dg_db, log_back(dg_de, e, c)


def negative_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return -grad_out


def exp_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return grad_out * out


def reshape_back(grad_out: Arr, out: Arr, x: Arr, new_shape: tuple[int, ...]) -> Arr:
    return grad_out.reshape(x.shape)


def permute_back(grad_out: Arr, out: Arr, x: Arr, axes: tuple[int, ...]) -> Arr:
    return grad_out.transpose(np.argsort(axes))


def sum_back(grad_out: Arr, out: Arr, x: Arr, dim=None, keepdim: bool = False) -> Arr:
    if dim is not None and not keepdim:
        grad_out = np.expand_dims(grad_out, dim)
    return np.broadcast_to(grad_out, x.shape)


def maximum_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out * ((x > y) + 0.5 * (x == y)), x)


def maximum_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(grad_out * ((y > x) + 0.5 * (x == y)), y)


def matmul2d_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    return grad_out @ y.T


def matmul2d_back1(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    return x.T @ grad_out


def getitem_back(grad_out: Arr, out: Arr, x: Arr, index) -> Arr:
    grad = np.zeros_like(x)
    np.add.at(grad, index, grad_out)
    return grad
