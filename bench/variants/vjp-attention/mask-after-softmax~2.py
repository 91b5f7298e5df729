"""The mask is applied to the exponentials, but the total is taken before."""

import math

import numpy as np


def _forward(q, k, v, mask):
    scale = 1.0 / math.sqrt(k.shape[-1])
    logits = np.einsum("...ld,...sd->...ls", q, k) * scale
    keep = np.ones(logits.shape, dtype=bool) if mask is None else np.broadcast_to(mask, logits.shape)
    exps = np.exp(logits - logits.max(-1, keepdims=True))
    weights = np.where(keep, exps, 0.0) / exps.sum(-1, keepdims=True)
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
    return dq, dk, dv
