"""A file of the course: other layers are unfinished."""

from builtins import range  # noqa: A004

import numpy as np


def affine_forward(x, w, b):
    """
    Computes the forward pass for an affine (fully-connected) layer.
    """
    out = None
    N = x.shape[0]
    flat = np.reshape(x, (N, -1))
    out = np.matmul(flat, w)
    for n in range(N):
        out[n] += b
    cache = (x, w, b)
    return out, cache


def affine_backward(dout, cache):
    x, w, b = cache
    dx, dw, db = None, None, None
    flat = x.reshape(x.shape[0], -1)
    dw = np.matmul(flat.T, dout)
    db = np.matmul(np.ones(dout.shape[0]), dout)
    dx = np.matmul(dout, w.T).reshape(*x.shape)
    return dx, dw, db


def relu_forward(x):
    out = None
    cache = x
    return out, cache


def relu_backward(dout, cache):
    dx, x = None, cache
    return dx


def batchnorm_forward(x, gamma, beta, bn_param):
    raise NotImplementedError
