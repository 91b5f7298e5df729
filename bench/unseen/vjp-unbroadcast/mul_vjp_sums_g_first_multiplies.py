# Held out. Mistake: mul_vjp sums g first and multiplies by the other operand afterwards
# True: upstream-reduced
import numpy as np


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    n_new = g.ndim - len(shape)
    res = g.sum(axis=tuple(range(n_new)))
    ones = tuple(i for i, s in enumerate(shape) if s == 1)
    return np.sum(res, axis=ones, keepdims=True)


def add_vjp(g, x, y):
    return (unbroadcast(g, x.shape), unbroadcast(g, y.shape))


def mul_vjp(g, x, y):
    gx, gy = add_vjp(g, x, y)
    dx = unbroadcast(gx * y, x.shape)
    dy = unbroadcast(gy * x, y.shape)
    return (dx, dy)
