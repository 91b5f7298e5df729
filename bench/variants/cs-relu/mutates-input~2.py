"""The result of the maximum is written into the input."""

import numpy as np


def relu_forward(x):
    out = np.maximum(0, x, out=x)
    cache = x
    return out, cache


def relu_backward(dout, cache):
    x = cache
    dx = dout * (x > 0)
    return dx
