import numpy as np


def masked_softmax(s, mask):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    if mask is not None:
        e = e * mask
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def attention(q, k, v, *, mask=None):
    scale = 1 / np.sqrt(q.shape[-1])
    p = masked_softmax(scale * (q @ k.swapaxes(-1, -2)), mask)
    return p @ v


def attention_vjp(g, q, k, v, *, mask=None):
    scale = 1 / np.sqrt(q.shape[-1])
    p = masked_softmax(scale * (q @ k.swapaxes(-1, -2)), mask)
    dp = g @ v.swapaxes(-1, -2)
    ds = p * (dp - np.sum(dp * p, axis=-1, keepdims=True))
    dq = scale * (ds @ k)
    dk = scale * (ds.swapaxes(-1, -2) @ q)
    dv = p.swapaxes(-1, -2) @ g
    return dq, dk, dv
