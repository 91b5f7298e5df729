"""Only the gradient is a mean."""

import numpy as np


def softmax_loss(x, y):
    n, c = x.shape
    target = np.eye(c)[y]
    m = x.max(axis=1)
    log_z = m + np.log(np.exp(x - m[:, np.newaxis]).sum(axis=1))
    loss = np.sum(log_z - (x * target).sum(axis=1))
    dx = (np.exp(x - log_z[:, np.newaxis]) - target) / n
    return loss, dx
