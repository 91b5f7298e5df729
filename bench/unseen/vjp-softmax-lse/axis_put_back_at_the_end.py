# Held out. Mistake: lse_vjp puts the axis back at the end, wherever it was
# True: wrong-axis
import numpy as np


def _shift(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0.0)


def softmax(x, *, axis=-1):
    e = np.exp(x - _shift(x, axis))
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def lse(x, *, axis=-1):
    m = _shift(x, axis)
    with np.errstate(divide="ignore"):
        return np.asarray(np.squeeze(m + np.log(np.exp(x - m).sum(axis=axis, keepdims=True)), axis=axis))


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (p * (g - np.sum(g * p, axis=axis, keepdims=True)),)


def lse_vjp(g, x, *, axis=-1):
    return (np.asarray(g)[..., None] * softmax(x, axis=axis),)
