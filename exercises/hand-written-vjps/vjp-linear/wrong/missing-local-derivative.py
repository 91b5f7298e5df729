"""The relu is forgotten on the way back."""

import numpy as np


def linear_vjp(g, x, w, b):
    rows, ups = x.reshape(-1, w.shape[1]), g.reshape(-1, w.shape[0])
    return g @ w, ups.T @ rows, ups.sum(axis=0)


def mlp_vjp(g, x, w1, b1, w2, b2):
    a = np.maximum(x @ w1.T + b1, 0)
    da, dw2, db2 = linear_vjp(g, a, w2, b2)
    dx, dw1, db1 = linear_vjp(da, x, w1, b1)
    return dx, dw1, db1, dw2, db2
