"""The outer products are transposed, and so is their sum."""

import numpy as np


def affine_forward(x, w, b):
    N, M = len(x), w.shape[1]
    out = np.zeros((N, M))
    for i in range(N):
        out[i] = x[i].ravel() @ w + b
    return out, {"x": x, "w": w}


def affine_backward(dout, cache):
    x, w = cache["x"], cache["w"]
    dx, dw, db = np.zeros(x.shape), np.zeros(w.T.shape), np.zeros(w.shape[1])
    for i, g in enumerate(dout):
        dx[i] = (w @ g).reshape(x[i].shape)
        dw += np.outer(g, x[i])
        db += g
    return dx, dw, db
