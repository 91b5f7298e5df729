# Mistake: the axes to keep are found by comparing sizes from the left instead of aligning at the right, so equal sizes are mixed up
# True: aligned-left
import numpy as np


def unbroadcast(g, shape):
    g = np.asarray(g)
    wanted = [n for n in shape if n != 1]
    copied = []
    for axis, size in enumerate(g.shape):
        if wanted and size == wanted[0]:
            wanted.pop(0)               # this axis belongs to the operand
        else:
            copied.append(axis)
    return g.sum(axis=tuple(copied)).reshape(shape)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
