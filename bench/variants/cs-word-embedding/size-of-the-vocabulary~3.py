"""As many rows as different words."""

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
    dW = np.zeros((max(len(np.unique(x)), x.max() + 1), D))
    for n in range(N):
        for t in range(T):
            dW[x[n, t]] += dout[n, t]
    return dW
