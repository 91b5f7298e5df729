import numpy as np


def affine_forward(x, w, b):
    """The affine layer for a minibatch x of shape (N, d_1, ..., d_k), weights w (D, M) and biases b (M,).

    Returns (out, cache), where out has shape (N, M).
    """
    raise NotImplementedError("your part")


def affine_backward(dout, cache):
    """(dx, dw, db) for the upstream gradient dout of shape (N, M)."""
    raise NotImplementedError("your part")
