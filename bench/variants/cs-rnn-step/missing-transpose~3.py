"""The gradient of the recurrent weights is transposed."""

import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    a = np.dot(x, Wx) + np.dot(prev_h, Wh) + b
    next_h = np.tanh(a)
    cache = (x, prev_h, Wx, Wh, b, a, next_h)
    return next_h, cache


def rnn_step_backward(dnext_h, cache):
    x, prev_h, Wx, Wh, b, a, next_h = cache
    da = dnext_h * (1 - next_h**2)
    dx = np.dot(da, Wx.T)
    dprev_h = np.dot(da, Wh.T)
    dWx = np.dot(x.T, da)
    dWh = np.dot(da.T, prev_h)
    db = np.sum(da, axis=0)
    return dx, dprev_h, dWx, dWh, db
