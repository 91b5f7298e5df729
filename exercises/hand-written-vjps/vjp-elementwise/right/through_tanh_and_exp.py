"""sigmoid through tanh(x / 2), tanh through exp(-2|x|), the quotient as a product with a reciprocal."""

import numpy as np


def mul_vjp(g, x, y):
    return np.multiply(g, y), np.multiply(g, x)


def div_vjp(g, x, y):
    reciprocal = 1 / y
    dx, dr = mul_vjp(g, x, reciprocal)
    return dx, -dr * reciprocal * reciprocal


def pow_vjp(g, x, *, n):
    if n == 0:
        return (0.0 * g,)
    return (n * g * np.power(x, n - 1),)


def sigmoid_vjp(g, x):
    t = np.tanh(x / 2)
    return (g * 0.25 * (1 + t) * (1 - t),)


def tanh_vjp(g, x):
    e = np.exp(-2 * np.abs(x))
    return (4 * g * e / (1 + e) ** 2,)


def sindot_vjp(g, x, y):
    angle = np.sum(x * y)
    slope = np.sin(angle + np.pi / 2)
    return g * slope * y, g * slope * x
