"""Broadcast the indices of the operand instead of its values, and add each entry of g at its index."""

import numpy as np


def _scatter(g, shape):
    total = np.zeros(shape)
    origin = np.broadcast_to(np.arange(total.size).reshape(shape), g.shape)
    np.add.at(total.reshape(-1), origin.ravel(), g.ravel())
    return total


def unbroadcast(g, shape):
    return _scatter(g, shape)


def add_vjp(g, x, y):
    return _scatter(g, x.shape), _scatter(g, y.shape)


def mul_vjp(g, x, y):
    return _scatter(g * y, x.shape), _scatter(g * x, y.shape)
