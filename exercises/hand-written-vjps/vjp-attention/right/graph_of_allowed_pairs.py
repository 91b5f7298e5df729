"""Attention as messages on a graph: a list of the allowed pairs of query and key replaces the matrix of scores.
Blocked pairs do not exist, so there is nothing to mask."""

import numpy as np


def rows(x):
    """All vectors of the batch in one list."""
    return x.reshape(-1, x.shape[-1])


def pairs(q, k, mask):
    """For every allowed pair the number of its query and of its key, sorted by query, and its weight."""
    batch, n_queries, n_keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    allowed = np.broadcast_to(True if mask is None else mask, (*batch, n_queries, n_keys))
    i, j = np.nonzero(allowed.reshape(-1, n_keys))
    j = j + i // n_queries * n_keys
    score = np.einsum("ed,ed->e", rows(q)[i], rows(k)[j]) / q.shape[-1] ** 0.5
    highest = np.full(len(rows(q)), -np.inf)
    np.maximum.at(highest, i, score)
    e = np.exp(score - highest[i])
    return i, j, e / np.bincount(i, e, len(rows(q)))[i]


def delivered(where, messages, shape):
    """The messages, added up at the vectors that they are sent to."""
    total = np.zeros(shape)
    np.add.at(rows(total), where, messages)
    return total


def attention(q, k, v, *, mask=None):
    i, j, p = pairs(q, k, mask)
    return delivered(i, p[:, None] * rows(v)[j], (*q.shape[:-1], v.shape[-1]))


def attention_vjp(g, q, k, v, *, mask=None):
    i, j, p = pairs(q, k, mask)
    g_pair = rows(g)[i]
    dp = np.einsum("ed,ed->e", g_pair, rows(v)[j])
    mean = np.bincount(i, p * dp, len(rows(q)))
    ds = (p * (dp - mean[i]) / q.shape[-1] ** 0.5)[:, None]
    return (
        delivered(i, ds * rows(k)[j], q.shape),
        delivered(j, ds * rows(q)[i], k.shape),
        delivered(j, p[:, None] * g_pair, v.shape),
    )
