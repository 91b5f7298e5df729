"""The scores of each row are shifted in place."""

import math

import numpy as np


def softmax_loss(x, y):
    loss, dx = 0.0, np.zeros(x.shape)
    n = len(y)
    for i in range(n):
        top = max(x[i])
        x[i] -= top
        e = np.exp(x[i])
        total = e.sum()
        loss += math.log(total) - x[i, y[i]]
        dx[i] = e / total
        dx[i, y[i]] -= 1.0
    return float(loss / n), dx / n
