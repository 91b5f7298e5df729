"""The upstream gradient of the last step is used in every step."""

import numpy as np


def sig(a):
    return 0.5 * (1 + np.tanh(0.5 * a))


def unroll(x, h0, c0, wx, wh, b):
    """All states (with the initial ones) and all gates."""
    T, N, H = len(x), *h0.shape
    hs, cs, gates = np.empty((T + 1, N, H)), np.empty((T + 1, N, H)), np.empty((T, 4, N, H))
    hs[0], cs[0] = h0, c0
    for t in range(T):
        a = (x[t] @ wx + hs[t] @ wh + b).reshape(N, 4, H)
        i, f, u, o = sig(a[:, 0]), sig(a[:, 1]), np.tanh(a[:, 2]), sig(a[:, 3])
        cs[t + 1] = f * cs[t] + i * u
        hs[t + 1] = o * np.tanh(cs[t + 1])
        gates[t] = i, f, u, o
    return hs, cs, gates


def lstm(x, h0, c0, wx, wh, b):
    hs, cs, _ = unroll(x, h0, c0, wx, wh, b)
    return hs[1:], cs[-1]


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    hs, cs, gates = unroll(x, h0, c0, wx, wh, b)
    T, N, H = len(x), *h0.shape
    delta = np.zeros((T, N, 4 * H))
    dh, dc = np.zeros((N, H)), gc.copy()
    for t in reversed(range(T)):
        i, f, u, o = gates[t]
        tc = np.tanh(cs[t + 1])
        dh = dh + g[-1]
        dc = dc + dh * o * (1 - tc * tc)
        delta[t] = np.hstack([dc * u * i * (1 - i), dc * cs[t] * f * (1 - f), dc * i * (1 - u * u), dh * tc * o * (1 - o)])
        dh = delta[t] @ wh.T
        dc = dc * f
    dwx = np.einsum("tnd,tnk->dk", x, delta)
    dwh = np.einsum("tnh,tnk->hk", hs[:-1], delta)
    return delta @ wx.T, dh, dc, dwx, dwh, delta.sum(axis=(0, 1))


def lstm_step(x, h, c, wx, wh, b):
    hs, c_next = lstm(x[None], h, c, wx, wh, b)
    return hs[0], c_next


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    dx, *others = lstm_vjp(gh[None], gc, x[None], h, c, wx, wh, b)
    return dx[0], *others
