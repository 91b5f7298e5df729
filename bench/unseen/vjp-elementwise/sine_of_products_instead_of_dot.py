# Held out. Mistake: sindot_vjp takes the cosine of each product x_i * y_i instead of the cosine of their sum, that is, it treats the dot product as an elementwise operation, which is right only for vectors of length 1.
# True: elementwise-instead-of-dot
import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    return g / y, -g * x / y**2


def pow_vjp(g, x, *, n):
    if n == 0:
        return (np.zeros_like(x),)
    return (g * n * x ** (n - 1),)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def sigmoid_vjp(g, x):
    s = sigmoid(x)
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g * (1 - t * t),)


def sindot_vjp(g, x, y):
    c = g * np.cos(x * y)
    return c * y, c * x
