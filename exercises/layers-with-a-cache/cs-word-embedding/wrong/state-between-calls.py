"""The words are kept in the module."""

import numpy as np

last = {}


def word_embedding_forward(x, W):
    out = W[x]
    last["x"] = x
    cache = W
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = last["x"], cache
    dW = np.zeros_like(W)
    np.add.at(dW, x, dout)
    return dW
