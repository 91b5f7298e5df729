# Held out. Mistake: Computes sigmoid as exp(x) / (1 + exp(x)), which is inf/inf = nan for x above 710
# True: overflow
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    dx = g / y
    dy = -g * x / y ** 2
    return dx, dy


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros_like(x),)
    return (g * n * x ** (n - 1),)


def sigmoid_vjp(g, x):
    e = np.exp(x)
    s = e / (1 + e)
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    return (g * (1 - np.tanh(x) ** 2),)


def sindot_vjp(g, x, y):
    c = g * np.cos(x @ y)
    return c * y, c * x
