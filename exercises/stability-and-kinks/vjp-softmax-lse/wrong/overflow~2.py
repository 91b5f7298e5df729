"""The mean of the finite entries is subtracted instead of the maximum: a wide slice still overflows."""

import numpy as np


def middle(x, axis):
    finite = np.isfinite(x)
    total = np.where(finite, x, 0).sum(axis=axis, keepdims=True)
    return total / np.maximum(finite.sum(axis=axis, keepdims=True), 1)


def softmax(x, *, axis=-1):
    e = np.exp(x - middle(x, axis))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total > 0, total, 1)


def lse(x, *, axis=-1):
    shift = middle(x, axis)
    return np.squeeze(shift + np.log(np.exp(x - shift).sum(axis=axis, keepdims=True)), axis)


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (p * (g - (g * p).sum(axis=axis, keepdims=True)),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
