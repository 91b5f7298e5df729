"""The contributions are added to a copy of the table."""

import numpy as np


def word_embedding_forward(x, W):
    out = W[x]
    cache = (x, W)
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = cache
    dW = W.copy()
    for place in np.ndindex(*x.shape):
        dW[x[place]] += dout[place]
    return dW
