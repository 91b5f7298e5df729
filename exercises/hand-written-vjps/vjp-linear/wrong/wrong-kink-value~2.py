"""Half of the gradient passes at 0."""

import numpy as np


def linear_vjp(g, x, w, b):
    rows, ups = x.reshape(-1, w.shape[1]), g.reshape(-1, w.shape[0])
    return g @ w, ups.T @ rows, ups.sum(axis=0)


def mlp_vjp(g, x, w1, b1, w2, b2):
    h = x @ w1.T + b1
    step = (np.sign(h) + 1) / 2
    da, dw2, db2 = linear_vjp(g, h * step, w2, b2)
    dx, dw1, db1 = linear_vjp(da * step, x, w1, b1)
    return dx, dw1, db1, dw2, db2
