import numpy as np


def softmax_loss(x, y):
    """(loss, dx) for scores x of shape (N, C) and labels y of shape (N,)."""
    raise NotImplementedError("your part")
