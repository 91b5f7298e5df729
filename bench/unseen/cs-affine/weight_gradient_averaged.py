# Held out. Mistake: dw is divided by the number of examples, as if the upstream gradient were not the gradient of the loss already, so it is N times too small.
# True: wrong-constant
import numpy as np


def affine_forward(x, w, b):
    out = x.reshape(x.shape[0], -1) @ w + b
    return out, (x, w, b)


def affine_backward(dout, cache):
    x, w, b = cache
    N = x.shape[0]
    rows = x.reshape(N, -1)
    dx = (dout @ w.T).reshape(x.shape)
    dw = rows.T @ dout / N
    db = dout.sum(axis=0)
    return dx, dw, db
