# Held out. Mistake: blocked scores are replaced by -1e9 and nothing else is done, so a query that may attend to no key gets equal weights for all keys instead of weights 0, and passes a gradient to the values.
# True: uniform-on-masked-row
import numpy as np


def _softmax(x):
    x = x - x.max(-1, keepdims=True)
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def _forward(q, k, v, mask):
    d = q.shape[-1]
    scores = np.einsum("...ld,...sd->...ls", q, k) / d**0.5
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    p = _softmax(scores)
    return p, np.einsum("...ls,...se->...le", p, v)


def attention(q, k, v, *, mask=None):
    return _forward(q, k, v, mask)[1]


def attention_vjp(g, q, k, v, *, mask=None):
    p, z = _forward(q, k, v, mask)
    scale = 1.0 / q.shape[-1] ** 0.5
    dv = np.einsum("...ls,...le->...se", p, g)
    dp = np.einsum("...le,...se->...ls", g, v)
    # the sum over j of dp * p is g . z
    ds = p * (dp - np.sum(g * z, axis=-1, keepdims=True))
    if mask is not None:
        ds = np.where(mask, ds, 0.0)
    dq = np.einsum("...ls,...sd->...ld", ds, k) * scale
    dk = np.einsum("...ls,...ld->...sd", ds, q) * scale
    return dq, dk, dv
