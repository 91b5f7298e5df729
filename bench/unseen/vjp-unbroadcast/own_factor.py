# Mistake: mul: each operand is multiplied by itself
# True: operands-swapped
import numpy as np


def unbroadcast(g, shape):
    lead = g.ndim - len(shape)
    out = g.sum(axis=tuple(range(lead)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1)
    return np.asarray(out.sum(axis=stretched, keepdims=True))


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * x, x.shape), unbroadcast(g * y, y.shape)
