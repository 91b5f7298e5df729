"""The sizes of the reshape are in the wrong order."""

import numpy as np


def affine_forward(x, w, b):
    out = x.reshape(-1, x.shape[0]).T.dot(w) + b
    cache = (x, w, b)
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    dx = dout.dot(w.T).T.reshape(x.shape)
    dw = x.reshape(-1, N).dot(dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db
