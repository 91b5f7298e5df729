# Held out. Mistake: leading axes are summed one after the other under numbers that no longer hold
# True: wrong-axis
import numpy as np


def unbroadcast(g, shape):
    for axis in range(g.ndim - len(shape)):
        g = g.sum(axis=axis)
    for axis, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
