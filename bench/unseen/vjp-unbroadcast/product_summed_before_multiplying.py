# Held out. Mistake: mul_vjp sums the upstream over the copies first and multiplies by the partner afterwards
# True: upstream-reduced
import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i in range(len(shape)):
        if shape[i] == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


def add_vjp(g, x, y):
    dx = unbroadcast(g, x.shape)
    dy = unbroadcast(g, y.shape)
    return dx, dy


def mul_vjp(g, x, y):
    # as for the sum, then times the local slope
    dx, dy = add_vjp(g, x, y)
    dx = dx * y
    dy = dy * x
    # the slope may have made it large again
    return unbroadcast(dx, x.shape), unbroadcast(dy, y.shape)
