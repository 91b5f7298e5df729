"""The old cell state is left out of the gradient of the forget gate."""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def lstm_step(x, h, c, wx, wh, b):
    H = h.shape[1]
    a = x @ wx + h @ wh + b
    i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
    u, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
    c_next = f * c + i * u
    h_next = o * np.tanh(c_next)
    return h_next, c_next


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    H = h.shape[1]
    a = x @ wx + h @ wh + b
    i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
    u, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
    c_next = f * c + i * u
    tc = np.tanh(c_next)
    do = gh * tc
    dc_next = gc + gh * o * (1 - tc**2)
    di = dc_next * u
    df = dc_next
    du = dc_next * i
    dc = dc_next * f
    dai = di * i * (1 - i)
    daf = df * f * (1 - f)
    dau = du * (1 - u**2)
    dao = do * o * (1 - o)
    da = np.concatenate([dai, daf, dau, dao], axis=1)
    dx = da @ wx.T
    dh = da @ wh.T
    dwx = x.T @ da
    dwh = h.T @ da
    db = da.sum(axis=0)
    return dx, dh, dc, dwx, dwh, db


def lstm(x, h0, c0, wx, wh, b):
    T = x.shape[0]
    hs = np.zeros((T, *h0.shape))
    h, c = h0, c0
    for t in range(T):
        h, c = lstm_step(x[t], h, c, wx, wh, b)
        hs[t] = h
    return hs, c


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    T = x.shape[0]
    hs, cs = [h0], [c0]
    for t in range(T):
        h, c = lstm_step(x[t], hs[-1], cs[-1], wx, wh, b)
        hs.append(h)
        cs.append(c)
    dx, dwx, dwh, db = np.zeros_like(x), np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    dh, dc = np.zeros_like(h0), gc
    for t in range(T - 1, -1, -1):
        dx[t], dh, dc, dwx_t, dwh_t, db_t = lstm_step_vjp(g[t] + dh, dc, x[t], hs[t], cs[t], wx, wh, b)
        dwx += dwx_t
        dwh += dwh_t
        db += db_t
    return dx, dh, dc, dwx, dwh, db
