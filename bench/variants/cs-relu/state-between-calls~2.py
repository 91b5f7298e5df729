"""The mask is an attribute of the function."""

import numpy as np


def relu_forward(x):
    mask = x > 0
    out = np.where(mask, x, 0.0)
    relu_forward.mask = mask
    return out, None


def relu_backward(dout, cache):
    dx = dout.copy()
    dx[~relu_forward.mask] = 0
    return dx
