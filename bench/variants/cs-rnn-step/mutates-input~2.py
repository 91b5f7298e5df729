"""The weights are updated in the backward pass."""

import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    from_input = x @ Wx
    from_state = prev_h @ Wh
    next_h = np.tanh(from_input + from_state + b)
    return next_h, (x, prev_h, Wx, Wh, next_h)


def rnn_step_backward(dnext_h, cache):
    x, prev_h, Wx, Wh, next_h = cache
    dpre = (1 - np.square(next_h)) * dnext_h
    dx = np.einsum("nh,dh->nd", dpre, Wx)
    dprev_h = np.einsum("nh,kh->nk", dpre, Wh)
    dWx, dWh = np.zeros(Wx.shape), np.zeros(Wh.shape)
    db = np.zeros(Wh.shape[0])
    for n in range(len(x)):
        dWx += np.outer(x[n], dpre[n])
        dWh += np.outer(prev_h[n], dpre[n])
        db += dpre[n]
    Wx -= 0.01 * dWx
    Wh -= 0.01 * dWh
    return dx, dprev_h, dWx, dWh, db
