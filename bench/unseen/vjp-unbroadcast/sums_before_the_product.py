# Held out. Mistake: mul_vjp sums the upstream before multiplying
# True: upstream-reduced
import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    dx = unbroadcast(g, x.shape) * unbroadcast(np.broadcast_to(y, g.shape), x.shape)
    dy = unbroadcast(g, y.shape) * unbroadcast(np.broadcast_to(x, g.shape), y.shape)
    return dx, dy
