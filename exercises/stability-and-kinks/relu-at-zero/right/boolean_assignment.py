"""Zeros, into which the entries that pass are copied."""

import numpy as np


def passed(g, *parts):
    dx = np.zeros(np.shape(g))
    for mask, factor in parts:
        if factor:
            dx[mask] = g[mask] * factor
    return (dx,)


def relu_vjp(g, x):
    return passed(g, (x > 0, 1.0))


def leaky_relu_vjp(g, x, *, slope):
    return passed(g, (x > 0, 1.0), (~(x > 0), slope))


def abs_vjp(g, x):
    return passed(g, (x > 0, 1.0), (x < 0, -1.0))


def clamp_min_vjp(g, x, *, lo):
    return passed(g, (x >= lo, 1.0))


def maximum0_vjp(g, x):
    return passed(g, (x > 0, 1.0), (x == 0, 0.5))
