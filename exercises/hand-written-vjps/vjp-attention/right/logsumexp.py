"""Weights as the exponential of score minus log-sum-exp; the batch becomes a single axis first."""

import numpy as np


def log_weights(q, k, mask):
    s = np.matmul(q, k.transpose(0, 2, 1)) * q.shape[2] ** -0.5
    s[~mask] = -np.inf
    norm = np.logaddexp.reduce(s, axis=2, keepdims=True)
    norm[np.isneginf(norm)] = 0.0
    return s - norm


def flat(mask, *arrays):
    """The arrays with exactly one batch axis, and the full mask."""
    q, k = arrays[0], arrays[1]
    full = (*q.shape[:-1], k.shape[-2])
    mask = np.ones(full, bool) if mask is None else np.broadcast_to(mask, full)
    return [x.reshape(-1, *x.shape[-2:]) for x in (mask, *arrays)]


def attention(q, k, v, *, mask=None):
    mask, fq, fk, fv = flat(mask, q, k, v)
    return np.matmul(np.exp(log_weights(fq, fk, mask)), fv).reshape(*q.shape[:-1], v.shape[-1])


def attention_vjp(g, q, k, v, *, mask=None):
    mask, fq, fk, fv, fg = flat(mask, q, k, v, g)
    p = np.exp(log_weights(fq, fk, mask))
    centred = fv[:, None, :, :] - np.matmul(p, fv)[:, :, None, :]
    ds = p * np.einsum("ble,blse->bls", fg, centred) * q.shape[-1] ** -0.5
    grads = np.matmul(ds, fk), np.matmul(ds.transpose(0, 2, 1), fq), np.matmul(p.transpose(0, 2, 1), fg)
    return tuple(dx.reshape(x.shape) for dx, x in zip(grads, (q, k, v)))
