"""One sample and one unit at a time, with the derivative from the hyperbolic cosine."""

import math

import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    N, H = prev_h.shape
    a = np.empty((N, H))
    for n in range(N):
        for j in range(H):
            a[n, j] = float(sum(x[n] * Wx[:, j]) + sum(prev_h[n] * Wh[:, j]) + b[j])
    return np.array([[math.tanh(number) for number in row] for row in a]), (x, prev_h, Wx, Wh, a)


def rnn_step_backward(dnext_h, cache):
    x, prev_h, Wx, Wh, a = cache
    dx, dprev_h = np.zeros(x.shape), np.zeros(prev_h.shape)
    dWx, dWh, db = np.zeros(Wx.shape), np.zeros(Wh.shape), np.zeros(Wh.shape[0])
    for n, j in np.ndindex(*a.shape):
        g = dnext_h[n, j] / math.cosh(min(abs(a[n, j]), 300.0)) ** 2
        dx[n] += g * Wx[:, j]
        dprev_h[n] += g * Wh[:, j]
        dWx[:, j] += g * x[n]
        dWh[:, j] += g * prev_h[n]
        db[j] += g
    return dx, dprev_h, dWx, dWh, db
