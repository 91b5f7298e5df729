"""No derivative is written down: every function is evaluated a tiny imaginary step away, and the imaginary part is its slope."""

import numpy as np

STEP = 1e-200  # its square is 0, so nothing but the slope remains


def slope(f, x):
    return np.imag(f(x + 1j * STEP)) / STEP


def mul_vjp(g, x, y):
    return g * slope(lambda u: u * y, x), g * slope(lambda u: x * u, y)


def div_vjp(g, x, y):
    return g * slope(lambda u: u / y, x), g * slope(lambda u: x / u, y)


def pow_vjp(g, x, *, n):
    """The branch cut of complex powers is at the negative numbers, so these are reflected."""
    right = slope(lambda u: u**n, abs(x))
    return (g * np.where((x < 0) & (n % 2 == 0), -right, right),)


def sigmoid_vjp(g, x):
    """The slope is an even function, and exp does not overflow on the left."""
    return (g * slope(lambda u: np.exp(u) / (1 + np.exp(u)), -abs(x)),)


def tanh_vjp(g, x):
    return (g * slope(np.tanh, x),)


def sindot_vjp(g, x, y):
    dq = g * slope(np.sin, x @ y)
    return dq * y, dq * x
