"""The gradient of the weights is a sum of the inputs."""

import numpy as np


def affine_forward(x, w, b):
    N, M = len(x), w.shape[1]
    out = np.zeros((N, M))
    for i in range(N):
        out[i] = x[i].ravel() @ w + b
    return out, {"x": x, "w": w}


def affine_backward(dout, cache):
    x, w = cache["x"], cache["w"]
    dx, dw, db = np.zeros(x.shape), np.zeros(w.shape), np.zeros(w.shape[1])
    for i, g in enumerate(dout):
        dx[i] = (w @ g).reshape(x[i].shape)
        dw += np.outer(x[i], np.ones(g.shape))
        db += g
    return dx, dw, db
