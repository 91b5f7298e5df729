# Mistake: n = 0 at x = 0 gives nan
# True: pow-through-division
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y ** 2


def pow_vjp(g, x, *, n):
    return (g * n * x ** (n - 1.0),)


def sigmoid_vjp(g, x):
    s = 0.5 * (1 + np.tanh(x / 2))
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g * (1 - t ** 2),)


def sindot_vjp(g, x, y):
    c = g * np.cos(x @ y)
    return c * y, c * x
