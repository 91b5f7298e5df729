"""The gradients of a word are collected at its first place."""

import numpy as np


def word_embedding_forward(x, W):
    out = W[x]
    cache = (x, W)
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = cache
    dW = np.zeros_like(W)
    first = {}
    for n, t in np.ndindex(*x.shape):
        word = x[n, t]
        if word in first:
            dout[first[word]] += dout[n, t]
        else:
            first[word] = (n, t)
    for word, place in first.items():
        dW[word] = dout[place]
    return dW
