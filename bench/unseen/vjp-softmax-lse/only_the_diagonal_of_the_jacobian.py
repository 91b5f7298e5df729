# Held out. Mistake: softmax_vjp uses only the diagonal p * (1 - p) of the Jacobian, as if each probability depended on its own score alone.
# True: diag-only
import numpy as np


def _exp_shifted(x, axis):
    m = np.max(x, axis=axis, keepdims=True)
    m = np.where(np.isneginf(m), 0.0, m)
    return np.exp(x - m), m


def softmax(x, *, axis=-1):
    e, _ = _exp_shifted(x, axis)
    s = e.sum(axis=axis, keepdims=True)
    return e / np.where(s == 0, 1.0, s)


def lse(x, *, axis=-1):
    e, m = _exp_shifted(x, axis)
    s = e.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.squeeze(np.log(s) + m, axis=axis)


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (g * p * (1 - p),)


def lse_vjp(g, x, *, axis=-1):
    return (softmax(x, axis=axis) * np.expand_dims(g, axis),)
