"""The column of the ignored class is also taken out of the sum over all classes of the label smoothing."""

import numpy as np


def _prepare(x, t, weight, ignore_index, s):
    n, c = x.shape
    w = np.ones(c) if weight is None else weight.copy()
    mask = (t != ignore_index).astype(float)
    safe_t = np.where(mask == 1, t, 0)
    one_hot = np.zeros((n, c))
    one_hot[np.arange(n), safe_t] = 1.0
    uniform = np.full((n, c), 1.0 / c)
    if 0 <= ignore_index < c:
        uniform[:, ignore_index] = 0.0
    denominator = (mask * w[safe_t]).sum()
    target = ((1 - s) * one_hot + s * uniform) * w * mask[:, None]
    return target, denominator


def _log_softmax(x):
    m = x.max(axis=1, keepdims=True)
    return x - (m + np.log(np.exp(x - m).sum(axis=1, keepdims=True)))


def cross_entropy(x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    target, denominator = _prepare(x, t, weight, ignore_index, label_smoothing)
    if denominator == 0:
        return 0.0
    return float(-(target * _log_softmax(x)).sum() / denominator)


def cross_entropy_vjp(g, x, t, *, weight=None, ignore_index=-100, label_smoothing=0.0):
    target, denominator = _prepare(x, t, weight, ignore_index, label_smoothing)
    if denominator == 0:
        return (np.zeros(x.shape),)
    p = np.exp(_log_softmax(x))
    return (g / denominator * (p * target.sum(axis=1, keepdims=True) - target),)
