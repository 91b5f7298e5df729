# Held out. Mistake: pow: the exponent is not lowered
# True: exponent-not-lowered, wrong-exponent, wrong-constant
import numpy as np


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y ** 2


def pow_vjp(g, x, *, n):
    return (g * n * x ** n,)


def sigmoid_vjp(g, x):
    s = sigmoid(x)
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    return (g * (1 - np.tanh(x) ** 2),)


def sindot_vjp(g, x, y):
    c = g * np.cos(x @ y)
    return c * y, c * x
