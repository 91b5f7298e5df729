"""exp is taken of the numbers as they are, which is inf from 710 on."""

import numpy as np


def softmax(x, *, axis=-1):
    e = np.exp(x)
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total > 0, total, 1)


def lse(x, *, axis=-1):
    return np.log(np.exp(x).sum(axis=axis))


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (p * (g - (g * p).sum(axis=axis, keepdims=True)),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
