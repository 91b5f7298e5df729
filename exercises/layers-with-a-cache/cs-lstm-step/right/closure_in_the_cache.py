"""The cache is a function, the results are lists, and every gate has its own block of the weights."""

import numpy as np


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    parts = list(zip(np.split(Wx, 4, axis=1), np.split(Wh, 4, axis=1), np.split(b, 4), strict=True))
    a = [x.dot(wx) + prev_h.dot(wh) + bias for wx, wh, bias in parts]
    i, f, o = (np.exp(-np.logaddexp(0, -z)) for z in a[:3])
    g = np.tanh(a[3])
    next_c = prev_c * f + g * i
    out = np.tanh(next_c)

    def backward(dh, dc):
        through = dh * o
        dc = dc + through - through * out * out
        slopes = [i - i * i, f - f * f, o - o * o, 1 - g * g]
        reached = [dc * g, dc * prev_c, dh * out, dc * i]
        das = [slope * gradient for slope, gradient in zip(slopes, reached, strict=True)]
        dx = sum(da.dot(wx.T) for da, (wx, _, _) in zip(das, parts, strict=True))
        dprev_h = sum(da.dot(wh.T) for da, (_, wh, _) in zip(das, parts, strict=True))
        dWx = np.hstack([x.T.dot(da) for da in das])
        dWh = np.hstack([prev_h.T.dot(da) for da in das])
        return [dx, dprev_h, f * dc, dWx, dWh, np.hstack([np.ones(len(x)).dot(da) for da in das])]

    return [out * o, next_c, backward]


def lstm_step_backward(dnext_h, dnext_c, cache):
    return cache(dnext_h, dnext_c)
