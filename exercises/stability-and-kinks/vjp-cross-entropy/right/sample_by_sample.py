"""Loops over the samples and the classes, with logaddexp for the normaliser."""

import numpy as np


def kept_samples(t, ignore_index):
    return [(i, int(c)) for i, c in enumerate(t) if c != ignore_index]


def cross_entropy(x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    classes = x.shape[1]
    w = [1.0] * classes if weight is None else weight.tolist()
    total = below = 0.0
    for i, c in kept_samples(t, ignore_index):
        norm = np.logaddexp.reduce(x[i])
        total += (1 - label_smoothing) * w[c] * (norm - x[i, c])
        total += label_smoothing / classes * sum(w[k] * (norm - x[i, k]) for k in range(classes))
        below += w[c]
    return total / below if below else 0.0


def cross_entropy_vjp(g, x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    classes = x.shape[1]
    w = np.ones(classes) if weight is None else weight
    kept = kept_samples(t, ignore_index)
    dx = np.zeros(x.shape)
    for i, c in kept:
        p = np.exp(x[i] - np.logaddexp.reduce(x[i]))
        for k in range(classes):
            own = label_smoothing / classes * w[k] + (1 - label_smoothing) * w[c] * (k == c)
            dx[i] += own * p
            dx[i, k] -= own
    below = sum(w[c] for _, c in kept)
    return (float(g) * dx / below if kept else dx,)
