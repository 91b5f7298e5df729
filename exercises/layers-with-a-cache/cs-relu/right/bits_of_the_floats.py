"""A float64 is positive if its bits are a positive int64; a mask of 64 ones or zeros keeps or clears a number."""

import numpy as np


def keep(numbers, mask):
    return (numbers.view(np.int64) & mask).view(np.float64)


def relu_forward(x):
    mask = -(x.view(np.int64) > 0).astype(np.int64)  # -1 has only ones, 0 only zeros
    return keep(x, mask), mask


def relu_backward(dout, cache):
    return keep(dout, cache)
