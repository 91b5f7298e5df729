# Held out. Mistake: leaky_relu multiplies by slope without treating slope = 0 as blocked, so an infinite upstream gradient gives 0 * inf = nan.
# True: zero-times-inf
import numpy as np


def relu_vjp(g, x):
    return (np.where(x > 0, g, 0.0),)


def leaky_relu_vjp(g, x, *, slope):
    return (np.where(x > 0, g, slope * g),)


def abs_vjp(g, x):
    return (np.where(x > 0, g, np.where(x < 0, -g, 0.0)),)


def clamp_min_vjp(g, x, *, lo):
    return (np.where(x >= lo, g, 0.0),)


def maximum0_vjp(g, x):
    return (np.where(x > 0, g, np.where(x == 0, 0.5 * g, 0.0)),)
