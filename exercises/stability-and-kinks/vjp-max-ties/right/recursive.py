"""The maximum of many is the maximum of the first and of the rest; amax keeps the size of each side's tie."""

import numpy as np


def maximum_vjp(g, x, y):
    return np.select([x > y, x < y], [g, 0 * g], g / 2), np.select([y > x, y < x], [g, 0 * g], g / 2)


def max_first_vjp(g, x, *, axis, keepdims=False):
    lines = np.moveaxis(x, axis, 0)
    g = np.reshape(g, lines.shape[1:])

    def pull(rows, g):
        if len(rows) == 1:
            return g[None]
        rest = rows[1:].max(axis=0)
        first = rows[0] >= rest
        return np.concatenate([np.where(first, g, 0)[None], pull(rows[1:], np.where(first, 0, g))])

    return (np.moveaxis(pull(lines, g), 0, axis),)


def amax_vjp(g, x, *, axis=None, keepdims=False):
    top = np.amax(x, axis=axis, keepdims=True)
    weight = np.where(x < top, 0.0, 1.0)
    share = weight / np.add.reduce(weight, axis=axis, keepdims=True)
    return (np.multiply(share, np.reshape(g, top.shape)),)
