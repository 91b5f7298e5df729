"""The gradient passes at 0."""

import numpy as np


def relu_forward(x):
    out = np.maximum(0, x)
    cache = x
    return out, cache


def relu_backward(dout, cache):
    x = cache
    dx = dout * (x >= 0)
    return dx
