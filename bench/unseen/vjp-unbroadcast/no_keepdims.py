# Mistake: stretched axes disappear
# True: keepdims-lost
import numpy as np


def unbroadcast(g, shape):
    g = np.sum(g, axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i in range(len(shape)) if shape[i] == 1 and g.shape[i] != 1)
    return np.sum(g, axis=axes)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
