import numpy as np


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    return g.sum(axis=tuple(n for n, size in enumerate(shape) if size == 1), keepdims=True)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    """Each column of the Jacobian is the product for a unit vector."""
    dx, dy = np.zeros(x.shape), np.zeros(y.shape)
    for gradient, other in ((dx, y), (dy, x)):
        unit = np.zeros(gradient.shape)
        for place in np.ndindex(gradient.shape):
            unit[place] = 1.0
            gradient[place] = (g * (unit * other)).sum()
            unit[place] = 0.0
    return dx, dy
