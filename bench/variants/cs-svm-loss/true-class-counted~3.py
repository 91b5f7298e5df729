"""The own class is masked in the gradient only."""

import numpy as np


def svm_loss(x, y):
    n, c = x.shape
    target = np.eye(c)[y]
    margins = x - (x * target).sum(axis=1, keepdims=True) + 1 - target
    active = (margins > 0) & (target == 0)
    loss = np.maximum(0, margins + target).sum(axis=1).mean()
    dx = active - target * active.sum(axis=1, keepdims=True)
    return loss, dx / n
