# Mistake: the mean is taken instead of the sum
# True: sum-vs-mean
import numpy as np


def unbroadcast(g, shape):
    extra = tuple(range(g.ndim - len(shape)))
    g = g.mean(axis=extra)
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.mean(axis=ones, keepdims=True)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
