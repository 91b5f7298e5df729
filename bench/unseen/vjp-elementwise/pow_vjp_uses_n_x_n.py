# Held out. Mistake: pow_vjp uses n * x**(n-1) for n = 0 as well, which is 0 * inf = nan at x = 0
# True: pow-through-division
import numpy as np


def _pair(a, b):
    return np.asarray(a, dtype=float), np.asarray(b, dtype=float)


def mul_vjp(g, x, y):
    return _pair(g * y, g * x)


def div_vjp(g, x, y):
    return _pair(g / y, -(g * x) / np.square(y))


def pow_vjp(g, x, *, n):
    dx = g * n * np.power(x, n - 1.0)
    return (np.asarray(dx),)


def sigmoid_vjp(g, x):
    s = 0.5 * (1 + np.tanh(x / 2))
    return (np.asarray(g * s * (1 - s)),)


def tanh_vjp(g, x):
    return (np.asarray(g * (1 - np.tanh(x) ** 2)),)


def sindot_vjp(g, x, y):
    c = np.cos(np.sum(x * y))
    return _pair(g * c * y, g * c * x)
