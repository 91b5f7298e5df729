"""The normaliser from logaddexp, the labels with take_along_axis."""

import numpy as np


def softmax_loss(x, y):
    log_z = np.logaddexp.reduce(x, axis=1, keepdims=True)
    log_p = x - log_z
    losses = -np.take_along_axis(log_p, y[:, None], axis=1)
    dx = np.exp(log_p)
    np.put_along_axis(dx, y[:, None], np.take_along_axis(dx, y[:, None], axis=1) - 1, axis=1)
    return [losses.mean(), dx / len(x)]
