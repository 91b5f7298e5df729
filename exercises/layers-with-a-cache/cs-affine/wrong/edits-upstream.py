"""The sum for the bias is collected in the first row of the upstream gradient."""

import numpy as np


def affine_forward(x, w, b):
    out = x.reshape(x.shape[0], -1).dot(w) + b
    cache = (x, w, b)
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(N, -1).T.dot(dout)
    for i in range(1, N):
        dout[0] += dout[i]
    db = dout[0].copy()
    return dx, dw, db
