"""The gradient of the cell state is collected in place and returned for the previous one."""

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    H = prev_h.shape[1]
    a = np.dot(x, Wx) + np.dot(prev_h, Wh) + b
    i = sigmoid(a[:, :H])
    f = sigmoid(a[:, H : 2 * H])
    o = sigmoid(a[:, 2 * H : 3 * H])
    g = np.tanh(a[:, 3 * H :])
    next_c = f * prev_c + i * g
    next_h = o * np.tanh(next_c)
    cache = (x, prev_h, prev_c, Wx, Wh, i, f, o, g, next_c)
    return next_h, next_c, cache


def lstm_step_backward(dnext_h, dnext_c, cache):
    x, prev_h, prev_c, Wx, Wh, i, f, o, g, next_c = cache
    H = prev_h.shape[1]
    do = dnext_h * np.tanh(next_c)
    dnext_c += dnext_h * o * (1 - np.tanh(next_c) ** 2)
    df = dnext_c * prev_c
    dprev_c = dnext_c
    di = dnext_c * g
    dg = dnext_c * i
    da = np.zeros((x.shape[0], 4 * H))
    da[:, :H] = di * i * (1 - i)
    da[:, H : 2 * H] = df * f * (1 - f)
    da[:, 2 * H : 3 * H] = do * o * (1 - o)
    da[:, 3 * H :] = dg * (1 - g**2)
    dx = np.dot(da, Wx.T)
    dprev_h = np.dot(da, Wh.T)
    dWx = np.dot(x.T, da)
    dWh = np.dot(prev_h.T, da)
    db = np.sum(da, axis=0)
    return dx, dprev_h, dprev_c, dWx, dWh, db
