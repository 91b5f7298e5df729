# Held out. Mistake: the upstream gradient gc of the last cell state is added again at every step of the backward pass, although c_t before the last one is not returned.
# True: cell-upstream-at-every-step
import numpy as np


def sigmoid(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1 / (1 + e), e / (1 + e))


def gates(x, h, wx, wh, b):
    a = x @ wx + h @ wh + b
    n = h.shape[1]
    return sigmoid(a[:, :n]), sigmoid(a[:, n:2 * n]), np.tanh(a[:, 2 * n:3 * n]), sigmoid(a[:, 3 * n:])


def lstm_step(x, h, c, wx, wh, b):
    i, f, u, o = gates(x, h, wx, wh, b)
    c_next = f * c + i * u
    return o * np.tanh(c_next), c_next


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    i, f, u, o = gates(x, h, wx, wh, b)
    t = np.tanh(f * c + i * u)
    dcn = gc + gh * o * (1 - t ** 2)
    da = np.concatenate(
        [dcn * u * i * (1 - i), dcn * c * f * (1 - f), dcn * i * (1 - u ** 2), gh * t * o * (1 - o)], axis=1
    )
    return da @ wx.T, da @ wh.T, dcn * f, x.T @ da, h.T @ da, da.sum(axis=0)


def lstm(x, h0, c0, wx, wh, b):
    hs = np.zeros((x.shape[0],) + h0.shape)
    h, c = h0, c0.copy()
    for t in range(x.shape[0]):
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
    dx = np.zeros(x.shape)
    dwx, dwh, db = np.zeros(wx.shape), np.zeros(wh.shape), np.zeros(b.shape)
    if T == 0:
        return dx, np.zeros(h0.shape), gc.copy(), dwx, dwh, db
    dh, dc = np.zeros(h0.shape), np.zeros(c0.shape)
    for t in reversed(range(T)):
        dx[t], dh, dc, a, bb, cc = lstm_step_vjp(g[t] + dh, gc + dc, x[t], hs[t], cs[t], wx, wh, b)
        dwx += a
        dwh += bb
        db += cc
    return dx, dh, dc, dwx, dwh, db
