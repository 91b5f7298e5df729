"""Half of the gradient passes at 0."""

import numpy as np


def relu_forward(x):
    out = np.maximum(0, x)
    cache = x
    return out, cache


def relu_backward(dout, cache):
    x = cache
    dx = dout * np.heaviside(x, 0.5)
    return dx
