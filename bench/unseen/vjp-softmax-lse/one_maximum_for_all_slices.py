# Held out. Mistake: the shift is the maximum of the whole array and not of each slice, so slices far below it underflow to nothing
# True: global-max-shift
import numpy as np


def _parts(x, axis):
    """exp of the shifted scores, their sums along the axis, and the shift."""
    top = np.max(x, initial=-np.inf)
    if top == -np.inf:
        top = 0.0
    e = np.exp(x - top)
    return e, e.sum(axis=axis, keepdims=True), top


def softmax(x, *, axis=-1):
    e, total, _ = _parts(x, axis)
    # a slice of -inf only has the sum 0 and stays 0
    return np.divide(e, total, out=np.zeros(x.shape), where=total > 0)


def lse(x, *, axis=-1):
    _, total, top = _parts(x, axis)
    with np.errstate(divide="ignore"):
        return np.squeeze(np.log(total) + top, axis=axis)


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    mean = np.sum(g * p, axis=axis, keepdims=True)
    return (p * (g - mean),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
