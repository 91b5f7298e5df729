"""Takes the first place of every word."""

import numpy as np


def word_embedding_forward(x, W):
    out = W[x]
    cache = (x, W)
    return out, cache


def word_embedding_backward(dout, cache):
    x, W = cache
    dW = np.zeros_like(W)
    words, places = np.unique(x, return_index=True)
    dW[words] = dout.reshape(-1, W.shape[1])[places]
    return dW
