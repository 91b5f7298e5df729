"""The ignored rows are removed first, and the rest is written with a one-hot matrix."""

import numpy as np


def prepared(x, t, weight, ignore_index, s):
    kept = np.flatnonzero(t != ignore_index)
    rows, classes = x[kept], x.shape[1]
    hot = np.eye(classes)[t[kept]]
    w = np.ones(classes) if weight is None else np.array(weight)
    soft = (1 - s) * hot + s / classes
    return kept, rows - rows.max(axis=1, keepdims=True), soft * w, (hot @ w).sum()


def cross_entropy(x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    kept, z, q, total = prepared(x, t, weight, ignore_index, label_smoothing)
    if kept.size == 0:
        return 0.0
    lse = np.log(np.sum(np.exp(z), axis=1))
    return np.sum(q.sum(axis=1) * lse - np.einsum("ij,ij->i", q, z)) / total


def cross_entropy_vjp(g, x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    kept, z, q, total = prepared(x, t, weight, ignore_index, label_smoothing)
    dx = np.zeros(x.shape)
    if kept.size:
        e = np.exp(z)
        dx[kept] = g / total * (e * (q.sum(axis=1) / e.sum(axis=1))[:, None] - q)
    return (dx,)
