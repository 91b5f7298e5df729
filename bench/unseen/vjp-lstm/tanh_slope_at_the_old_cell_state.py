# Held out. Mistake: what h' sends to c' uses 1 - tanh(c)^2 at the cell state before the step instead of the new one c', so almost every gradient is wrong.
# True: value-of-another-step
import numpy as np


def _sig(a):
    out = np.empty_like(a)
    pos = a >= 0
    out[pos] = 1.0 / (1.0 + np.exp(-a[pos]))
    ex = np.exp(a[~pos])
    out[~pos] = ex / (1.0 + ex)
    return out


def _forward(x, h, c, wx, wh, b):
    ai, af, au, ao = np.split(x @ wx + h @ wh + b, 4, axis=1)
    i, f, u, o = _sig(ai), _sig(af), np.tanh(au), _sig(ao)
    cn = f * c + i * u
    hn = o * np.tanh(cn)
    return hn, cn, (x, h, c, i, f, u, o, cn)


def _backward(gh, gc, cache, wx, wh):
    x, h, c, i, f, u, o, cn = cache
    d_o = gh * np.tanh(cn)
    d_cn = gc + gh * o * (1.0 - np.tanh(c) ** 2)
    d_f = d_cn * c
    d_c = d_cn * f
    d_i = d_cn * u
    d_u = d_cn * i
    da = np.hstack([
        d_i * i * (1 - i),
        d_f * f * (1 - f),
        d_u * (1 - u * u),
        d_o * o * (1 - o),
    ])
    return da.dot(wx.T), da.dot(wh.T), d_c, x.T.dot(da), h.T.dot(da), da.sum(0)


def lstm_step(x, h, c, wx, wh, b):
    hn, cn, _ = _forward(x, h, c, wx, wh, b)
    return hn, cn


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    _, _, cache = _forward(x, h, c, wx, wh, b)
    return _backward(gh, gc, cache, wx, wh)


def _run(x, h0, c0, wx, wh, b):
    states = np.zeros((len(x),) + h0.shape)
    caches = []
    h, c = h0, c0
    for t, xt in enumerate(x):
        h, c, cache = _forward(xt, h, c, wx, wh, b)
        states[t] = h
        caches.append(cache)
    return states, np.array(c), caches


def lstm(x, h0, c0, wx, wh, b):
    states, c, _ = _run(x, h0, c0, wx, wh, b)
    return states, c


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    _, _, caches = _run(x, h0, c0, wx, wh, b)
    dx = np.zeros(x.shape)
    total = [np.zeros(wx.shape), np.zeros(wh.shape), np.zeros(b.shape)]
    dh = np.zeros(h0.shape)
    dc = np.array(gc)
    for t in range(len(x) - 1, -1, -1):
        dxt, dh, dc, *rest = _backward(g[t] + dh, dc, caches[t], wx, wh)
        dx[t] = dxt
        for acc, r in zip(total, rest):
            acc += r
    return (dx, dh, dc, *total)
