"""All steps at once, with one matrix product."""

import numpy as np


def rnn(x, h0, wx, wh, b):
    h, out = h0, np.zeros((len(x), *h0.shape))
    for t in range(len(x)):
        h = np.tanh(x[t] @ wx + h @ wh + b)
        out[t] = h
    return out


def rnn_vjp(g, x, h0, wx, wh, b):
    h = rnn(x, h0, wx, wh, b)
    before = np.concatenate([h0[None], h[:-1]]) if len(x) else h
    da = g * (1 - h * h)
    d_before = da @ wh.T
    dh0 = d_before[0] if len(x) else np.zeros_like(h0)
    return da @ wx.T, dh0, np.tensordot(x, da, ([0, 1], [0, 1])), np.tensordot(before, da, ([0, 1], [0, 1])), da.sum((0, 1))
