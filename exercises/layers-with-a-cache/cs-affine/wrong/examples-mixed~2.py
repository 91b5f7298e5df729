"""The input is flattened in the order of the columns."""

import numpy as np


def affine_forward(x, w, b):
    out = x.ravel(order="F").reshape(x.shape[0], -1).dot(w) + b
    cache = (x, w, b)
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    dx = dout.dot(w.T).reshape(x.shape, order="F")
    dw = x.ravel(order="F").reshape(N, -1).T.dot(dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db
