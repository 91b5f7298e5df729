import numpy as np


def dropout_forward(x, dropout_param):
    """Inverted dropout. Returns (out, cache).

    dropout_param has "mode" ("train" or "test") and "p", the probability of keeping an entry, and may have "seed".
    """
    p, mode = dropout_param["p"], dropout_param["mode"]
    if "seed" in dropout_param:
        np.random.seed(dropout_param["seed"])
    raise NotImplementedError("your part")


def dropout_backward(dout, cache):
    """The gradient dx for the upstream gradient dout, an array shaped like x."""
    raise NotImplementedError("your part")
