# Held out. Mistake: Sums over a stretched axis without keepdims, so the axis of size 1 disappears and the shape is wrong, e.g. (2,) instead of (2, 1)
# True: keepdims-lost
import numpy as np


def unbroadcast(g, shape):
    lead = g.ndim - len(shape)
    axes = list(range(lead))
    for i, n in enumerate(shape):
        if n == 1 and g.shape[lead + i] != 1:
            axes.append(lead + i)
    return np.asarray(g.sum(axis=tuple(axes)))


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
