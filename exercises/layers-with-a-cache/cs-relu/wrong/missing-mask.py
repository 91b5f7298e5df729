"""The gradient passes everywhere."""

import numpy as np


def relu_forward(x):
    out = np.maximum(0, x)
    cache = x
    return out, cache


def relu_backward(dout, cache):
    x = cache
    dx = dout.copy()
    return dx
