"""A whole sequence is indexed at once."""

import numpy as np


def word_embedding_forward(x, W):
    out = W[x]
    cache = (x, W)
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = cache
    dW = np.zeros_like(W)
    for n in range(len(x)):
        dW[x[n]] += dout[n]
    return dW
