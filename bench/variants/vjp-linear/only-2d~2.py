"""One batch axis, or none; a second one is taken for a stack of separate problems."""

import numpy as np


def linear_vjp(g, x, w, b):
    if x.ndim == 1:
        return g @ w, np.outer(g, x), g.copy()
    dx = g @ w
    dw = np.swapaxes(g, -1, -2) @ x
    db = g.sum(axis=-2)
    return dx, dw, db


def mlp_vjp(g, x, w1, b1, w2, b2):
    pre = x @ w1.T + b1
    da, dw2, db2 = linear_vjp(g, np.maximum(pre, 0), w2, b2)
    dx, dw1, db1 = linear_vjp(da * (pre > 0), x, w1, b1)
    return dx, dw1, db1, dw2, db2
