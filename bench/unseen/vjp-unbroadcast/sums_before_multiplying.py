# Held out. Mistake: mul_vjp sums g and the other factor separately before multiplying them, but a sum of products is not the product of the sums.
# True: upstream-reduced
import numpy as np


def unbroadcast(g, shape):
    extra = g.ndim - len(shape)
    out = g.sum(axis=tuple(range(extra)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and out.shape[i] != 1)
    if stretched:
        out = out.sum(axis=stretched, keepdims=True)
    return out


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    if x.shape == y.shape:
        return g * y, g * x
    xb = np.broadcast_to(x, g.shape)
    yb = np.broadcast_to(y, g.shape)
    dx = unbroadcast(g, x.shape) * unbroadcast(yb, x.shape)
    dy = unbroadcast(g, y.shape) * unbroadcast(xb, y.shape)
    return dx, dy
