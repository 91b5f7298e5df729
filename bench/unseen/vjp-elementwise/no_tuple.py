# Mistake: pow, sigmoid and tanh return the array without a tuple
# True: wrong-container
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y ** 2


def pow_vjp(g, x, *, n):
    return g * n * x ** (n - 1) if n != 0 else np.zeros_like(x)


def sigmoid_vjp(g, x):
    s = 1 / (1 + np.exp(-x))
    return g * s * (1 - s)


def tanh_vjp(g, x):
    return g * (1 - np.tanh(x) ** 2)


def sindot_vjp(g, x, y):
    c = g * np.cos(x @ y)
    return c * y, c * x
