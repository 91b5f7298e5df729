# Held out. Mistake: the factor 1/sqrt(d) is applied to dq but forgotten in dk, so the gradient of the keys is too large by sqrt(d).
# True: missing-scale
import numpy as np


def weights(q, k, mask):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    e = np.exp(s - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def attention(q, k, v, *, mask=None):
    return weights(q, k, mask) @ v


def attention_vjp(g, q, k, v, *, mask=None):
    p = weights(q, k, mask)
    dp = g @ np.swapaxes(v, -1, -2)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))
    dq = ds @ k / np.sqrt(q.shape[-1])
    dk = np.swapaxes(ds, -1, -2) @ q
    dv = np.swapaxes(p, -1, -2) @ g
    return dq, dk, dv
