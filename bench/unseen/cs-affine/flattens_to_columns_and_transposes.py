# Held out. Mistake: x is flattened with reshape(D, N).T instead of reshape(N, D), which mixes the entries of different examples.
# True: examples-mixed
import numpy as np


def affine_forward(x, w, b):
    """out = X w + b with one row of X per example"""
    N = x.shape[0]
    X = x.reshape(-1, N).T
    out = np.dot(X, w) + b
    cache = {"X": X, "w": w, "shape": x.shape}
    return out, cache


def affine_backward(dout, cache):
    X, w = cache["X"], cache["w"]
    dX = np.dot(dout, w.T)
    dx = dX.T.reshape(cache["shape"])
    dw = np.dot(X.T, dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db
