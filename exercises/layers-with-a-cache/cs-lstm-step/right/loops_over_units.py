"""One sample and one unit at a time, with numbers from the math module."""

import math

import numpy as np


def squash(z):
    return 0.5 * (1 + math.tanh(0.5 * z)) if abs(z) < 10 else 1 / (1 + math.exp(-max(z, -700.0)))


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    N, H = prev_h.shape
    next_h, next_c, gates = np.empty((N, H)), np.empty((N, H)), {}
    for n, j in np.ndindex(N, H):
        columns = range(j, 4 * H, H)
        i, f, o, g = (float(sum(x[n] * Wx[:, k]) + sum(prev_h[n] * Wh[:, k]) + b[k]) for k in columns)
        i, f, o, g = gates[n, j] = squash(i), squash(f), squash(o), math.tanh(g)
        next_c[n, j] = f * prev_c[n, j] + i * g
        next_h[n, j] = o * math.tanh(next_c[n, j])
    return next_h, next_c, (x, prev_h, prev_c, Wx, Wh, next_c.copy(), gates)


def lstm_step_backward(dnext_h, dnext_c, cache):
    x, prev_h, prev_c, Wx, Wh, next_c, gates = cache
    H = prev_h.shape[1]
    dx, dprev_h, dprev_c = np.zeros(x.shape), np.zeros(prev_h.shape), np.zeros(prev_c.shape)
    dWx, dWh, db = np.zeros(Wx.shape), np.zeros(Wh.shape), np.zeros(4 * H)
    for (n, j), (i, f, o, g) in gates.items():
        t = math.tanh(next_c[n, j])
        dc = dnext_c[n, j] + dnext_h[n, j] * o * (1 - t) * (1 + t)
        dprev_c[n, j] = dc * f
        das = [
            dc * g * i * (1 - i),
            dc * prev_c[n, j] * f * (1 - f),
            dnext_h[n, j] * t * o * (1 - o),
            dc * i * (1 - g) * (1 + g),
        ]
        for k, da in zip(range(j, 4 * H, H), das, strict=True):
            dx[n] += da * Wx[:, k]
            dprev_h[n] += da * Wh[:, k]
            dWx[:, k] += da * x[n]
            dWh[:, k] += da * prev_h[n]
            db[k] += da
    return dx, dprev_h, dprev_c, dWx, dWh, db
