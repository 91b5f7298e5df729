"""The random numbers of Python, and a list of the dropped entries."""

import random


def dropout_forward(x, dropout_param):
    """Python's own generator, one number at a time."""
    p = dropout_param["p"]
    generator = random.Random(dropout_param.get("seed"))
    out = x.copy()
    dropped = []
    if dropout_param["mode"] == "train":
        flat = out.reshape(-1)
        flat /= p
        dropped = [i for i in range(flat.size) if generator.random() >= p]
        flat[dropped] = 0.0
        out = flat.reshape(x.shape)
    else:
        p = 1.0
    return out, (dropped, p)


def dropout_backward(dout, cache):
    dropped, p = cache
    dx = dout.flatten() / p
    dx[dropped] = 0.0
    return dx.reshape(dout.shape)
