"""The softmax runs over the examples."""

import numpy as np


def softmax_loss(x, y):
    N = x.shape[0]
    shifted_logits = x - np.max(x, axis=0)
    Z = np.sum(np.exp(shifted_logits), axis=0)
    log_probs = shifted_logits - np.log(Z)
    probs = np.exp(log_probs)
    loss = -np.sum(log_probs[np.arange(N), y]) / N
    dx = probs.copy()
    dx[np.arange(N), y] -= 1
    dx /= N
    return loss, dx
