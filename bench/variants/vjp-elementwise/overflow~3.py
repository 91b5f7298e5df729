"""The slope exp(-x) / (1 + exp(-x))^2 is inf / inf for large negative x."""

import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y ** 2


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros_like(x),)
    return (g * n * x ** (n - 1),)


def sigmoid_vjp(g, x):
    e = np.exp(-x)
    return (g * e / (1 + e) ** 2,)


def tanh_vjp(g, x):
    return (g * (1 - np.tanh(x) ** 2),)


def sindot_vjp(g, x, y):
    c = np.cos(np.dot(x, y))
    return g * c * y, g * c * x
