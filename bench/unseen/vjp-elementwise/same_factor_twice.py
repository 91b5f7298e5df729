# Held out. Mistake: mul: both operands are sent the second factor
# True: operands-swapped, wrong-local-derivative
import numpy as np


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def mul_vjp(g, x, y):
    d = g * y
    return d, d


def div_vjp(g, x, y):
    return g / y, -g * x / (y * y)


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros_like(x),)
    return (g * n * np.power(x, n - 1),)


def sigmoid_vjp(g, x):
    s = sigmoid(x)
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g - g * t * t,)


def sindot_vjp(g, x, y):
    q = np.dot(x, y)
    return g * np.cos(q) * y, g * np.cos(q) * x
