"""A reverse pass over every primitive step, in the order opposite to the forward pass."""

import numpy as np


def forward(x, eps):
    n = x.shape[-1]
    mean = np.add.reduce(x, axis=-1, keepdims=True) / n
    centred = x - mean
    var = np.add.reduce(centred**2, axis=-1, keepdims=True) / n
    std = (var + eps) ** 0.5
    return n, centred, std, centred / std


def layernorm(x, gamma, beta, *, eps=1e-5):
    return np.multiply(forward(x, eps)[-1], gamma) + beta


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    n, centred, std, xhat = forward(x, eps)
    rows = g.reshape(-1, n)
    dbeta, dgamma = rows.sum(0), (rows * xhat.reshape(-1, n)).sum(0)
    dxhat = g * gamma
    dcentred = dxhat / std
    dstd = -(dxhat * centred).sum(-1, keepdims=True) / std**2
    dvar = dstd / (2 * std)
    dcentred = dcentred + dvar * 2 * centred / n
    dmean = -dcentred.sum(-1, keepdims=True)
    return dcentred + dmean / n + 0 * x, dgamma, dbeta
