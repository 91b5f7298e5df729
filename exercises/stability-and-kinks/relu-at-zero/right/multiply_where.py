"""The local derivative as an array, and a product that skips its zeros."""

import numpy as np


def product(g, local):
    return (np.multiply(g, local, out=np.zeros(local.shape), where=local != 0),)


def relu_vjp(g, x):
    return product(g, np.heaviside(x, 0.0))


def maximum0_vjp(g, x):
    return product(g, np.heaviside(x, 0.5))


def clamp_min_vjp(g, x, *, lo):
    return product(g, 1.0 - np.less(x, lo))


def abs_vjp(g, x):
    return product(g, np.sign(x))


def leaky_relu_vjp(g, x, *, slope):
    step = np.heaviside(x, 0.0)
    return product(g, np.asarray(step + slope * (1 - step)))
