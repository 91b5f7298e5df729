"""The cache lists the positions; other functions of the file are unfinished."""

import numpy as np


def relu_forward(x):
    out = (np.abs(x) + x) / 2
    positive = np.argwhere(x > 0)
    return [out, positive]


def relu_backward(dout, cache):
    dx = np.zeros(dout.shape)
    for index in map(tuple, cache):
        dx[index] = dout[index]
    return dx


def affine_forward(x, w, b):
    pass
