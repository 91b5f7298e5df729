"""A product with one-hot rows, and its transpose."""

import numpy as np


def word_embedding_forward(x, W):
    one_hot = np.eye(len(W))[x]
    return one_hot @ W, one_hot


def word_embedding_backward(dout, cache):
    return np.einsum("ntv,ntd->vd", cache, dout)
