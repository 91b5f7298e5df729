"""The kink is found with np.isclose, so tiny numbers such as 1e-300 get the derivative of the kink."""

import numpy as np


def _select(g, x, kink, below, at, above):
    is_kink = np.isclose(x, kink)
    conditions = [is_kink, x < kink]
    weights = [at, below]
    out = g * above
    for condition, weight in zip(conditions[::-1], weights[::-1]):
        value = weight * g if weight != 0 else np.zeros(np.shape(g))
        out = np.where(condition, value, out)
    return (np.asarray(out),)


def relu_vjp(g, x):
    return _select(g, x, 0.0, 0.0, 0.0, 1.0)


def leaky_relu_vjp(g, x, *, slope):
    return _select(g, x, 0.0, slope, slope, 1.0)


def abs_vjp(g, x):
    return _select(g, x, 0.0, -1.0, 0.0, 1.0)


def clamp_min_vjp(g, x, *, lo):
    return _select(g, x, lo, 0.0, 1.0, 1.0)


def maximum0_vjp(g, x):
    return _select(g, x, 0.0, 0.0, 0.5, 1.0)
