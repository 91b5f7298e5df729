"""The gradient of the cell state is collected in place, and another function of the file is unfinished."""

import numpy as np


def sigmoid(z):
    negative = z < 0
    small = np.zeros_like(z)
    small[negative] = np.exp(z[negative])
    small[~negative] = np.exp(-z[~negative])
    top = np.ones_like(z)
    top[negative] = small[negative]
    return top / (1 + small)


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    H = prev_h.shape[1]
    a = np.dot(x, Wx) + np.dot(prev_h, Wh) + b
    gates = sigmoid(a)
    gates[:, 3 * H :] = np.tanh(a[:, 3 * H :])
    i, f, o, g = (gates[:, k * H : (k + 1) * H] for k in range(4))
    next_c = f * prev_c + i * g
    next_h = o * np.tanh(next_c)
    return next_h, next_c, (x, prev_h, prev_c, Wx, Wh, gates, next_c)


def lstm_step_backward(dnext_h, dnext_c, cache):
    x, prev_h, prev_c, Wx, Wh, gates, next_c = cache
    H = prev_h.shape[1]
    i, f, o, g = (gates[:, k * H : (k + 1) * H] for k in range(4))
    tanh_c = np.tanh(next_c)
    dnext_c += dnext_h * o * (1 - tanh_c**2)
    da = np.zeros_like(gates)
    da[:, :H] = dnext_c * g
    da[:, H : 2 * H] = dnext_c * prev_c
    da[:, 2 * H : 3 * H] = dnext_h * tanh_c
    da[:, : 3 * H] *= gates[:, : 3 * H] * (1 - gates[:, : 3 * H])
    da[:, 3 * H :] = dnext_c * i * (1 - g**2)
    dnext_c *= f
    return np.dot(da, Wx.T), np.dot(da, Wh.T), dnext_c, np.dot(x.T, da), np.dot(prev_h.T, da), np.sum(da, axis=0)


def lstm_forward(x, h0, Wx, Wh, b):
    raise NotImplementedError
