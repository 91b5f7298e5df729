"""There is one mode."""

import numpy as np


def dropout_forward(x, dropout_param):
    p = dropout_param["p"]
    if "seed" in dropout_param:
        np.random.seed(dropout_param["seed"])
    drop = np.random.random_sample(x.shape) > p
    out = np.array(x)
    out[drop] = 0
    return [out / p, {"drop": drop, "keep": p}]


def dropout_backward(dout, cache):
    dx = np.array(dout)
    if cache is not None:
        dx[cache["drop"]] = 0
        dx *= 1 / cache["keep"]
    return dx


def svm_loss(x, y):
    raise NotImplementedError
