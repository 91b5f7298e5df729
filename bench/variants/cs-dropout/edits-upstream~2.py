"""Entries of the upstream gradient are overwritten."""

import numpy as np


def dropout_forward(x, dropout_param):
    p = dropout_param["p"]
    if "seed" in dropout_param:
        np.random.seed(dropout_param["seed"])
    if dropout_param["mode"] == "test":
        return [x * 1.0, None]
    drop = np.random.random_sample(x.shape) > p
    out = np.array(x)
    out[drop] = 0
    return [out / p, {"drop": drop, "keep": p}]


def dropout_backward(dout, cache):
    dx = dout
    if cache is not None:
        dx[cache["drop"]] = 0
        dx *= 1 / cache["keep"]
    return dx


def svm_loss(x, y):
    raise NotImplementedError
