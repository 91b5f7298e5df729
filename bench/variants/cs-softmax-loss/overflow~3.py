"""The quotient of exponentials."""

import numpy as np


def softmax_loss(x, y):
    N = x.shape[0]
    shifted_logits = x - np.max(x, axis=1, keepdims=True)
    Z = np.sum(np.exp(shifted_logits), axis=1, keepdims=True)
    log_probs = shifted_logits - np.log(Z)
    e = np.exp(x)
    probs = e / e.sum(axis=1, keepdims=True)
    loss = -np.sum(log_probs[np.arange(N), y]) / N
    dx = probs.copy()
    dx[np.arange(N), y] -= 1
    dx /= N
    return loss, dx
