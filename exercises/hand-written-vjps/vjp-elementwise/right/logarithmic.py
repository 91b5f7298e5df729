"""Powers use the logarithmic derivative for positive numbers, and repeated multiplication elsewhere."""

import numpy as np


def mul_vjp(g, x, y):
    return g * y, g * x


def div_vjp(g, x, y):
    z = x / y
    return g / y, -g * z / y


def pow_vjp(g, x, *, n):
    if x.size and (x > 0).all() and n not in (0, 1):
        log = np.log(x)
        return (g * (n / x) * np.exp(n * log),)
    if n == 0 or x.size == 0:
        return (np.zeros(x.shape),)
    slope = np.full(x.shape, float(n))
    for _ in range(n - 1):
        slope = slope * x
    return (g * slope,)


def sigmoid_vjp(g, x):
    log_s = -np.logaddexp(0, -x)
    log_rest = -np.logaddexp(0, x)
    return (g * np.exp(log_s + log_rest),)


def tanh_vjp(g, x):
    (half,) = sigmoid_vjp(g, 2 * x)
    return (4 * half,)


def sindot_vjp(g, x, y):
    slope = g * np.cos(np.einsum("i,i", x, y))
    return tuple(slope * np.stack([y, x]))
