import numpy as np


def word_embedding_forward(x, W):
    """The vectors of the words x, whole numbers of shape (N, T), from the table W of shape (V, D).

    Returns (out, cache), where out has shape (N, T, D).
    """
    raise NotImplementedError("your part")


def word_embedding_backward(dout, cache):
    """The gradient dW for the upstream gradient dout of shape (N, T, D), an array shaped like W."""
    raise NotImplementedError("your part")
