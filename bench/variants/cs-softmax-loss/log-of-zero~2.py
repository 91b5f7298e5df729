"""The logarithm of a quotient."""

import math

import numpy as np


def softmax_loss(x, y):
    loss, dx = 0.0, np.zeros(x.shape)
    n = len(y)
    for i in range(n):
        top = max(x[i])
        e = np.exp(x[i] - top)
        total = e.sum()
        loss += -np.log(e[y[i]] / total)
        dx[i] = e / total
        dx[i, y[i]] -= 1.0
    return float(loss / n), dx / n
