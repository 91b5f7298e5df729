"""The mask is used as an index, which works only if it has the full shape of the scores."""

import numpy as np


def softmax_rows(s):
    m = s.max(axis=-1, keepdims=True)
    m = np.where(m == -np.inf, 0.0, m)
    e = np.exp(s - m)
    z = e.sum(axis=-1, keepdims=True)
    z[z == 0] = 1.0
    return e / z


def attention(q, k, v, *, mask=None):
    return _weights(q, k, mask) @ v


def _weights(q, k, mask):
    scores = np.matmul(q, k.swapaxes(-2, -1)) / q.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask] = -np.inf
    return softmax_rows(scores)


def attention_vjp(g, q, k, v, *, mask=None):
    p = _weights(q, k, mask)
    dp = np.matmul(g, v.swapaxes(-2, -1))
    ds = p * dp - p * (p * dp).sum(axis=-1, keepdims=True)
    ds /= q.shape[-1] ** 0.5
    dq = np.matmul(ds, k)
    dk = np.matmul(ds.swapaxes(-2, -1), q)
    dv = np.matmul(p.swapaxes(-2, -1), g)
    return dq, dk, dv
