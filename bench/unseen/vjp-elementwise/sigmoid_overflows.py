# Mistake: exp(x) / (1 + exp(x)) is nan for large x
# True: overflow
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y ** 2


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros_like(g),)
    return (g * n * x ** (n - 1),)


def sigmoid_vjp(g, x):
    s = np.exp(x) / (1 + np.exp(x))
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g * (1 - t ** 2),)


def sindot_vjp(g, x, y):
    c = g * np.cos(x @ y)
    return c * y, c * x
