"""The mask is computed and not used."""

import numpy as np


def relu_forward(x):
    mask = x > 0
    out = np.where(mask, x, 0.0)
    return out, mask


def relu_backward(dout, cache):
    dx = dout.copy()
    np.where(cache, dx, 0)
    return dx
