"""Takes the last place of every word."""

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
        found = rows[words == word]
        if len(found):
            dW[word] = found[-1]
    return dW
