"""Negative inputs are overwritten."""

import numpy as np


def relu_forward(x):
    x[x < 0] = 0
    out = x
    cache = x
    return out, cache


def relu_backward(dout, cache):
    x = cache
    dx = dout * (x > 0)
    return dx
