"""The input is a global variable."""

import numpy as np

kept = None


def relu_forward(x):
    out = np.maximum(0, x)
    global kept
    cache = kept = x
    return out, cache


def relu_backward(dout, cache):
    x = kept
    dx = dout * (x > 0)
    return dx
