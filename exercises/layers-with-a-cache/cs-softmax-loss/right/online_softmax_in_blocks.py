"""One pass over blocks of columns: a running maximum, and a running sum that is rescaled whenever the maximum grows."""

import numpy as np

WIDTH = 64


def merge(state, block):
    """Add a block of scores to (maximum, sum of the exponentials relative to it) of each row."""
    top, total = state
    higher = np.maximum(top, block.max(axis=1))
    return higher, total * np.exp(top - higher) + np.exp(block - higher[:, None]).sum(axis=1)


def softmax_loss(x, y):
    N, C = x.shape
    top, total = np.full(N, -np.inf), np.zeros(N)
    for start in range(0, C, WIDTH):
        top, total = merge((top, total), x[:, start : start + WIDTH])

    true = np.arange(N), y
    loss = np.mean((top - x[true]) + np.log(total))  # the difference first: both can be a million
    dx = np.exp(x - top[:, None]) / total[:, None]
    dx[true] -= 1
    return loss, dx / N
