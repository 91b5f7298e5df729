"""Five rows of one table. np.piecewise applies a slope only in its own region, and a slope of zero is a constant there."""

from functools import partial
from operator import mul

import numpy as np


def vjp(g, x, *slopes, kink=0.0):
    regions = [x < kink, x == kink, x > kink]
    return (np.piecewise(g, regions, [partial(mul, slope) if slope else 0.0 for slope in slopes]),)


def relu_vjp(g, x):
    return vjp(g, x, 0, 0, 1)


def leaky_relu_vjp(g, x, *, slope):
    return vjp(g, x, slope, slope, 1)


def abs_vjp(g, x):
    return vjp(g, x, -1, 0, 1)


def clamp_min_vjp(g, x, *, lo):
    return vjp(g, x, 0, 1, 1, kink=lo)


def maximum0_vjp(g, x):
    return vjp(g, x, 0, 0.5, 1)
