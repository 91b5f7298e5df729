"""Positive inputs are multiplied in."""

import numpy as np


def relu_forward(x):
    mask = x > 0
    out = np.where(mask, x, 0.0)
    return out, x


def relu_backward(dout, cache):
    dx = dout.copy()
    dx[cache <= 0] = 0
    dx *= cache
    return dx
