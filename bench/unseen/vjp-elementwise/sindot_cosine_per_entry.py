# Held out. Mistake: sindot is treated as elementwise: each entry gets the cosine of its own product x_i y_i, not that of the whole dot product
# True: elementwise-instead-of-dot
import numpy as np


def _elementwise(g, *slopes):
    return tuple(np.asarray(g * s, dtype=np.float64) for s in slopes)


def mul_vjp(g, x, y):
    return _elementwise(g, y, x)


def div_vjp(g, x, y):
    z = x / y
    return _elementwise(g, 1.0 / y, -z / y)


def pow_vjp(g, x, *, n):
    if n == 0:
        slope = np.zeros_like(x)
    elif n == 1:
        slope = np.ones_like(x)
    else:
        slope = n * np.power(x, n - 1)
    return _elementwise(g, slope)


def _sigmoid(x):
    small = np.exp(-np.abs(x))          # never overflows
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def sigmoid_vjp(g, x):
    return _elementwise(g, _sigmoid(x) * _sigmoid(-x))


def tanh_vjp(g, x):
    t = np.tanh(x)
    return _elementwise(g, (1.0 - t) * (1.0 + t))


def sindot_vjp(g, x, y):
    cos = np.cos(x * y)
    return _elementwise(g, cos * y, cos * x)
