# Held out. Mistake: The two VJPs assume that only y is broadcast and return dx in the shape of g
# True: missing-unbroadcast
import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i in range(len(shape)):
        if shape[i] == 1:
            g = g.sum(axis=i, keepdims=True)
    return np.asarray(g)


def add_vjp(g, x, y):
    # y is the row that is copied to every row of the table x
    return g, unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return g * y, unbroadcast(g * x, y.shape)
