# Held out. Mistake: dprev_c is dnext_c * f with the incoming gradient only, so what next_h sends through the cell state is missing in dprev_c.
# True: forget-gate-left-out
import numpy as np


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    H = prev_h.shape[1]
    a = x @ Wx + prev_h @ Wh + b
    i = sigmoid(a[:, :H])
    f = sigmoid(a[:, H:2 * H])
    o = sigmoid(a[:, 2 * H:3 * H])
    g = np.tanh(a[:, 3 * H:])
    next_c = f * prev_c + i * g
    tc = np.tanh(next_c)
    next_h = o * tc
    return next_h, next_c, (x, prev_h, prev_c, Wx, Wh, i, f, o, g, tc)


def lstm_step_backward(dnext_h, dnext_c, cache):
    x, prev_h, prev_c, Wx, Wh, i, f, o, g, tc = cache
    do = dnext_h * tc
    dc = dnext_c + dnext_h * o * (1 - tc ** 2)
    di = dc * g
    df = dc * prev_c
    dg = dc * i
    dprev_c = dnext_c * f
    da = np.concatenate([
        di * i * (1 - i),
        df * f * (1 - f),
        do * o * (1 - o),
        dg * (1 - g ** 2),
    ], axis=1)
    dx = da @ Wx.T
    dprev_h = da @ Wh.T
    dWx = x.T @ da
    dWh = prev_h.T @ da
    db = da.sum(axis=0)
    return dx, dprev_h, dprev_c, dWx, dWh, db
