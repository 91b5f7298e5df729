# Held out. Mistake: sindot_vjp treats the dot product elementwise: cos(x*y) instead of cos(x . y)
# True: elementwise-instead-of-dot
import numpy as np


def mul_vjp(g, x, y):
    return (g * y, g * x)


def div_vjp(g, x, y):
    z = x / y
    return (g / y, -g * z / y)


def pow_vjp(g, x, *, n):
    return (g * (n * x ** (n - 1) if n != 0 else 0.0 * x),)


def sigmoid_vjp(g, x):
    s = 1 / (1 + np.exp(-x))     # exp may overflow to inf, 1/inf = 0 is fine
    return (g * s * (1 - s),)


def tanh_vjp(g, x):
    t = np.tanh(x)
    return (g * (1 - t * t),)


def sindot_vjp(g, x, y):
    # z = sin(u), u = xy  ->  dz/dx = cos(u) * y
    u = x * y
    return (g * np.cos(u) * y, g * np.cos(u) * x)
