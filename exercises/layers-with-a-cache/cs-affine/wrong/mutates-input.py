"""The input is flattened in place."""

import numpy as np


def affine_forward(x, w, b):
    shape = x.shape
    rows = x.reshape(x.shape[0], -1)
    out = rows.dot(w) + b
    cache = (x.copy(), w, b)
    x *= 1 + 1e-3
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(N, -1).T.dot(dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db
