"""One word at a time; the cache is a function."""

import numpy as np


def word_embedding_forward(x, W):
    N, T = x.shape
    V, D = W.shape
    out = np.empty((N, T, D))
    places = {}
    for n in range(N):
        for t in range(T):
            out[n, t] = W[x[n, t]]
            places.setdefault(int(x[n, t]), []).append((n, t))

    def backward(g):
        dW = np.zeros((V, D))
        for word, found in places.items():
            dW[word] = sum(g[place] for place in found)
        return dW

    return out, backward


def word_embedding_backward(dout, cache):
    return cache(dout)
