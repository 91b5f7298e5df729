"""The copies are laid out with reshape and summed, which fits only when they lie one behind another."""

import numpy as np


def unbroadcast(g, shape):
    if g.size == 0:
        return np.zeros(shape)
    return g.reshape(-1, *shape).sum(axis=0)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
