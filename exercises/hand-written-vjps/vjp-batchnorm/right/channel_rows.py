"""Channels as the rows of a matrix; the reverse pass goes through every primitive step."""

import numpy as np


def to_rows(x):
    return np.moveaxis(x, 1, 0).reshape(x.shape[1], -1)


def from_rows(rows, x):
    turned = np.moveaxis(x, 1, 0).shape
    return np.moveaxis(rows.reshape(turned), 0, 1)


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    rows = to_rows(x)
    if training:
        m, v = rows.mean(1), rows.var(1)
        new_mean = running_mean + momentum * (m - running_mean)
        new_var = running_var + momentum * (rows.var(1, ddof=1) - running_var)
    else:
        m, v, new_mean, new_var = running_mean, running_var, running_mean.copy(), running_var.copy()
    y = gamma[:, None] * (rows - m[:, None]) / np.sqrt(v + eps)[:, None] + beta[:, None]
    return from_rows(y, x), new_mean, new_var


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    rows, up = to_rows(x), to_rows(g)
    m, v = (rows.mean(1), rows.var(1)) if training else (running_mean, running_var)
    centred, s = rows - m[:, None], np.sqrt(v + eps)[:, None]
    dhat = up * gamma[:, None]
    d = dhat / s
    if training:
        n = rows.shape[1]
        dv = -(dhat * centred).sum(1, keepdims=True) / (2 * s**3)
        d = d + 2 * dv * centred / n
        d = d - d.sum(1, keepdims=True) / n
    return from_rows(d, x), np.einsum("cn,cn->c", up, centred / s), up.sum(1)
