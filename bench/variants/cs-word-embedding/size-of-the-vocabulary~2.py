"""bincount without the number of rows."""

import numpy as np


def word_embedding_forward(x, W):
    words = x.reshape(-1)
    out = np.take(W, words, axis=0).reshape(*x.shape, W.shape[1])
    return out, (words, W.shape)


def word_embedding_backward(dout, cache):
    words, (V, D) = cache
    rows = dout.reshape(-1, D)
    columns = [np.bincount(words, weights=column) for column in rows.T]
    return np.stack(columns, axis=1)
