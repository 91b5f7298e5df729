# Held out. Mistake: the maximum of the whole array is subtracted
# True: global-max-shift
import numpy as np


def softmax(x, *, axis=-1):
    m = np.max(x) if x.size else 0.0
    if not np.isfinite(m):
        m = 0.0
    e = np.exp(x - m)
    s = e.sum(axis=axis, keepdims=True)
    return np.where(s > 0, e / np.where(s > 0, s, 1.0), 0.0)


def lse(x, *, axis=-1):
    m = np.max(x, axis=axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0.0)
    with np.errstate(divide="ignore"):
        out = m + np.log(np.exp(x - m).sum(axis=axis, keepdims=True))
    return np.squeeze(out, axis=axis)


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (p * (g - (g * p).sum(axis=axis, keepdims=True)),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
