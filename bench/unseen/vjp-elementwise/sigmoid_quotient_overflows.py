# Held out. Mistake: the sigmoid slope is computed as exp(-x) / (1 + exp(-x))^2, which is inf / inf = nan for very negative x
# True: overflow
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    dx = g / y
    dy = -(g / y) * (x / y)
    return dx, dy


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros(x.shape),)
    return (g * n * x ** (n - 1),)


def sigmoid_vjp(g, x):
    # quotient rule
    e = np.exp(-x)
    return (g * e / (1 + e) ** 2,)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g * (1 - t**2),)


def sindot_vjp(g, x, y):
    c = g * np.cos(np.dot(x, y))
    return c * y, c * x
