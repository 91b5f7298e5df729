"""One sample at a time: an outer product for the weights, a vector times a matrix for the input."""

import numpy as np


def linear_vjp(g, x, w, b):
    dx, dw, db = np.zeros(x.shape), np.zeros(w.shape), np.zeros(b.shape)
    for n in np.ndindex(*x.shape[:-1]):
        dx[n] = w.T.dot(g[n])
        dw += np.multiply.outer(g[n], x[n])
        db += g[n]
    return dx, dw, db


def mlp_vjp(g, x, w1, b1, w2, b2):
    grads = [np.zeros(array.shape) for array in (x, w1, b1, w2, b2)]
    for n in np.ndindex(*x.shape[:-1]):
        h = w1 @ x[n] + b1
        on = np.flatnonzero(h > 0)
        da = g[n] @ w2[:, on]
        grads[0][n] = da @ w1[on]
        grads[1][on] += np.outer(da, x[n])
        grads[2][on] += da
        grads[3][:, on] += np.outer(g[n], h[on])
        grads[4] += g[n]
    return tuple(grads)
