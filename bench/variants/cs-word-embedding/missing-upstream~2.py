"""The derivative of an entry is 1."""

import numpy as np


def word_embedding_forward(x, W):
    N, T = x.shape
    V, D = W.shape
    out = np.zeros((N, T, D))
    for n in range(N):
        for t in range(T):
            out[n, t] = W[x[n, t]]
    return out, {"x": x, "V": V, "D": D}


def word_embedding_backward(dout, cache):
    x, V, D = cache["x"], cache["V"], cache["D"]
    N, T = x.shape
    dW = np.zeros((V, D))
    for n in range(N):
        for t in range(T):
            dW[x[n, t]] += 1
    return dW
