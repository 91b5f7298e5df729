"""The slope of the true score is forgotten."""

import numpy as np


def svm_loss(x, y):
    n, c = x.shape
    loss, dx = 0.0, np.zeros((n, c))
    for i in range(n):
        right = y[i]
        for j in range(c):
            if j == right:
                continue
            margin = x[i, j] - x[i, right] + 1
            if margin > 0:
                loss += margin
                dx[i, j] += 1
    return loss / n, dx / n
