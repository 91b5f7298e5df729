"""The words are kept as an attribute of the function."""

import numpy as np


def word_embedding_forward(x, W):
    words = x.reshape(-1)
    out = np.take(W, words, axis=0).reshape(*x.shape, W.shape[1])
    word_embedding_forward.words = words
    return out, W.shape


def word_embedding_backward(dout, cache):
    V, D = cache
    words = word_embedding_forward.words
    rows = dout.reshape(-1, D)
    dW = np.zeros((V, D))
    for word in range(V):
        dW[word] = rows[words == word].sum(axis=0)
    return dW
