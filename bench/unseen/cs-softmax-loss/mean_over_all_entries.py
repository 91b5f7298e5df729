# Held out. Mistake: the loss is the mean over all N * C entries of the one-hot product instead of the mean over N examples, so loss and gradient are C times too small.
# True: wrong-constant
import numpy as np


def log_softmax(s):
    s = s - s.max(axis=1)[:, np.newaxis]
    return s - np.log(np.exp(s).sum(axis=1))[:, np.newaxis]


def softmax_loss(x, y):
    target = np.eye(x.shape[1])[y]
    logp = log_softmax(x)
    loss = np.mean(-target * logp)
    dx = (np.exp(logp) - target) / x.size
    return loss, dx
