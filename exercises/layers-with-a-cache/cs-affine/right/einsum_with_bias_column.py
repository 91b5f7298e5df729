"""The bias is one more row of the weights, and the cache is an object with arrays of its own."""

import numpy as np


class Saved:
    def __init__(self, rows, weights, shape):
        self.rows, self.weights, self.shape = rows, weights, shape


def affine_forward(x, w, b):
    rows = np.column_stack([x.reshape(len(x), -1), np.ones(len(x))])
    weights = np.vstack([w, b])
    return np.einsum("nd,dm->nm", rows, weights), Saved(rows, weights, x.shape)


def affine_backward(dout, cache):
    both = np.einsum("nd,nm->dm", cache.rows, dout)
    dx = np.einsum("nm,dm->nd", dout, cache.weights[:-1])
    return [dx.reshape(cache.shape), both[:-1], both[-1]]
