# Mistake: add_vjp and mul_vjp do not sum
# True: missing-unbroadcast
import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


def add_vjp(g, x, y):
    return g, g


def mul_vjp(g, x, y):
    return g * y, g * x
