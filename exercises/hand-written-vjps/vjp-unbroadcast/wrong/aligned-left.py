import numpy as np


def unbroadcast(g, shape):
    out = np.asarray(g, dtype=float)
    for axis, n in enumerate(shape):
        if out.shape[axis] != n:
            out = out.sum(axis=axis, keepdims=True)
    # drop the axes that shape does not have
    while out.ndim > len(shape):
        out = out.sum(axis=-1)
    return np.asarray(out)


def add_vjp(g, x, y):
    dx = unbroadcast(g, np.shape(x))
    dy = unbroadcast(g, np.shape(y))
    return dx, dy


def mul_vjp(g, x, y):
    dx = unbroadcast(g * y, np.shape(x))
    dy = unbroadcast(g * x, np.shape(y))
    return dx, dy
