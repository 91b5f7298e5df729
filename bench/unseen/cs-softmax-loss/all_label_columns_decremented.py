# Held out. Mistake: dx[:, y] -= 1 subtracts 1 in all label columns of every row instead of only at the true class of each row.
# True: whole-columns
import numpy as np


def softmax_loss(x, y):
    N = x.shape[0]
    shifted = x - np.max(x, axis=1, keepdims=True)
    log_z = np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    log_p = shifted - log_z
    loss = -np.sum(log_p[np.arange(N), y]) / N
    dx = np.exp(log_p)
    dx[:, y] -= 1
    dx /= N
    return loss, dx
