"""The number of places of a word, for every column."""

import numpy as np


def word_embedding_forward(x, W):
    words = x.reshape(-1)
    out = np.take(W, words, axis=0).reshape(*x.shape, W.shape[1])
    return out, (words, W.shape)


def word_embedding_backward(dout, cache):
    words, (V, D) = cache
    rows = dout.reshape(-1, D)
    dW = np.zeros((V, D))
    for word in range(V):
        dW[word] = np.sum(words == word)
    return dW
