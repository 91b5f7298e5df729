"""The gradients of the inputs are appended while the loop runs backwards."""

import numpy as np


def rnn(x, h0, wx, wh, b):
    h, out = h0, np.zeros((len(x), *h0.shape))
    for t in range(len(x)):
        h = np.tanh(x[t] @ wx + h @ wh + b)
        out[t] = h
    return out


def rnn_vjp(g, x, h0, wx, wh, b):
    hs = rnn(x, h0, wx, wh, b)
    T = x.shape[0]
    dx, dwx, dwh, db = [], np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    dh_next = np.zeros_like(h0)
    for t in range(T - 1, -1, -1):
        h_prev = hs[t - 1] if t > 0 else h0
        dh = g[t] + dh_next
        da = dh * (1 - hs[t] ** 2)
        dx.append(da @ wx.T)
        dwx += x[t].T @ da
        dwh += h_prev.T @ da
        db += da.sum(axis=0)
        dh_next = da @ wh.T
    return np.array(dx).reshape(x.shape), dh_next, dwx, dwh, db
