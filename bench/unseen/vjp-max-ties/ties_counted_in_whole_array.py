# Held out. Mistake: amax divides by the number of maxima in the whole array instead of in each slice, so slices get too little and no longer add up to their upstream gradient.
# True: wrong-count
import numpy as np


def amax_vjp(g, x, *, axis=None, keepdims=False):
    m = x.max(axis=axis, keepdims=True)
    mask = x == m
    g = np.reshape(g, m.shape)
    return (mask * g / mask.sum(),)


def max_first_vjp(g, x, *, axis, keepdims=False):
    if not keepdims:
        g = np.expand_dims(g, axis)
    first = np.expand_dims(np.argmax(x, axis=axis), axis)
    dx = np.zeros(x.shape)
    np.put_along_axis(dx, first, g, axis=axis)
    return (dx,)


def maximum_vjp(g, x, y):
    share = np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0))
    return share * g, (1 - share) * g
