"""The sum is divided by the number of places."""

import numpy as np


def word_embedding_forward(x, W):
    out = W[x]
    cache = (x, W)
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = cache
    dW = np.zeros_like(W)
    np.add.at(dW, x, dout)
    counts = np.bincount(x.ravel(), minlength=len(W))
    dW /= np.maximum(counts, 1)[:, None]
    return dW
