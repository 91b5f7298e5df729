# Held out. Mistake: Shifts by the maximum of the whole array instead of the maximum along the axis, so slices with much smaller scores underflow to a sum of 0
# True: global-max-shift
import numpy as np


def _parts(x, axis):
    m = x.max() if x.size else 0.0
    if not np.isfinite(m):
        m = 0.0
    e = np.exp(x - m)
    return m, e, e.sum(axis=axis, keepdims=True)


def softmax(x, *, axis=-1):
    _, e, total = _parts(x, axis)
    return e / np.where(total == 0, 1.0, total)


def lse(x, *, axis=-1):
    m, _, total = _parts(x, axis)
    with np.errstate(divide="ignore"):
        return np.asarray(m + np.log(np.squeeze(total, axis=axis)))


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    inner = np.sum(g * p, axis=axis, keepdims=True)
    return (p * (g - inner),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
