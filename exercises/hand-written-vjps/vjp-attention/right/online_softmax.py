"""One query at a time and one key after the other, with a running maximum, sum and output."""

import math

import numpy as np


def one_query(query, keys, values, keep):
    """The output, the largest score and the sum of exponentials, updated key by key."""
    top, total, out = -math.inf, 0.0, np.zeros(values.shape[-1])
    for key, value, use in zip(keys, values, keep):
        if not use:
            continue
        score = float(query @ key) / math.sqrt(len(query))
        new = max(top, score)
        shrink = math.exp(top - new)
        weight = math.exp(score - new)
        total, out, top = total * shrink + weight, out * shrink + weight * value, new
    return (out / total if total else out), top, total


def kept(mask, q, k):
    return np.broadcast_to(True if mask is None else mask, q.shape[:-1] + (k.shape[-2],))


def attention(q, k, v, *, mask=None):
    keep, out = kept(mask, q, k), np.empty(q.shape[:-1] + (v.shape[-1],))
    for at in np.ndindex(q.shape[:-1]):
        out[at] = one_query(q[at], k[at[:-1]], v[at[:-1]], keep[at])[0]
    return out


def attention_vjp(g, q, k, v, *, mask=None):
    keep = kept(mask, q, k)
    dq, dk, dv = (np.zeros(x.shape) for x in (q, k, v))
    root = math.sqrt(q.shape[-1])
    for at in np.ndindex(q.shape[:-1]):
        b = at[:-1]
        out, top, total = one_query(q[at], k[b], v[b], keep[at])
        for j in np.flatnonzero(keep[at]):
            p = math.exp(float(q[at] @ k[b][j]) / root - top) / total
            ds = p * float(g[at] @ (v[b][j] - out)) / root
            dq[at] += ds * k[b][j]
            dk[b + (j,)] += ds * q[at]
            dv[b + (j,)] += p * g[at]
    return dq, dk, dv
