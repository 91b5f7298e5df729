"""The same, in another style."""

import numpy as np


def unrolled(x, h0, wx, wh, b):
    T, N, _ = x.shape
    h = np.empty((T + 1, N, wh.shape[0]))
    h[0] = h0
    for t in range(1, T + 1):
        h[t] = np.tanh(np.dot(x[t - 1], wx) + np.dot(h[t - 1], wh) + b)
    return h


def rnn(x, h0, wx, wh, b):
    return unrolled(x, h0, wx, wh, b)[1:]


def rnn_vjp(g, x, h0, wx, wh, b):
    h = unrolled(x, h0, wx, wh, b)
    delta = np.zeros_like(g)
    back = np.zeros_like(h0)
    for t in range(1, len(x) + 1):
        total = g[t - 1] + back
        delta[t - 1] = total * (1 - h[t] ** 2)
        back = delta[t - 1].dot(wh.T)
    dx = delta.dot(wx.T)
    dwx = np.einsum("tnd,tnh->dh", x, delta)
    dwh = np.einsum("tni,tnh->ih", h[:-1], delta)
    db = delta.sum(axis=(0, 1))
    return dx, back, dwx, dwh, db
