"""Examples are not flattened."""

import numpy as np


def affine_forward(x, w, b):
    out = x.dot(w) + b
    cache = (x, w, b)
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    dx = dout.dot(w.T)
    dw = x.T.dot(dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db
