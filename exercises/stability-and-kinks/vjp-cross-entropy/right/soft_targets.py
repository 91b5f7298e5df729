"""All options go into one matrix of soft targets. The loss is its inner product with -log p, and only row sums are needed
for the gradient. An ignored sample has a row of zeros."""

import numpy as np


def soft_targets(x, t, weight, ignore_index, smoothing):
    """The factor of -log p for every sample and class, divided by the weight of all kept samples."""
    n, c = x.shape
    weight = np.ones(c) if weight is None else weight
    kept = np.flatnonzero(t != ignore_index)
    targets = np.zeros((n, c))
    targets[kept] = smoothing / c * weight
    targets[kept, t[kept]] += (1 - smoothing) * weight[t[kept]]
    return targets / (weight[t[kept]].sum() or 1.0)


def minus_log_p(x):
    below = x.max(axis=1, keepdims=True) - x
    return below + np.log(np.exp(-below).sum(axis=1, keepdims=True))


def cross_entropy(x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    return float(np.vdot(soft_targets(x, t, weight, ignore_index, label_smoothing), minus_log_p(x)))


def cross_entropy_vjp(g, x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    targets = soft_targets(x, t, weight, ignore_index, label_smoothing)
    return (g * (targets.sum(axis=1, keepdims=True) * np.exp(-minus_log_p(x)) - targets),)
