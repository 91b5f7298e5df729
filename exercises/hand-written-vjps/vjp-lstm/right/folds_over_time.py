"""Both directions are folds: accumulate runs the sequence, accumulate over the reversed steps runs back through it.

The fold collects the gradients of the pre-activations only. Those of the weights are one product over time and samples.
"""

from itertools import accumulate

import numpy as np


def gates(x, h, wx, wh, b):
    i, f, u, o = np.split(x @ wx + h @ wh + b, 4, axis=-1)
    with np.errstate(over="ignore"):
        i, f, o = (1 / (1 + np.exp(-a)) for a in (i, f, o))
    return i, f, np.tanh(u), o


def lstm_step(x, h, c, wx, wh, b):
    i, f, u, o = gates(x, h, wx, wh, b)
    c_next = f * c + i * u
    return o * np.tanh(c_next), c_next


def states(x, h0, c0, wx, wh, b):
    return zip(*accumulate(x, lambda state, entry: lstm_step(entry, *state, wx, wh, b), initial=(h0, c0)))


def lstm(x, h0, c0, wx, wh, b):
    hs, cs = states(x, h0, c0, wx, wh, b)
    return np.array(hs[1:]).reshape(len(x), *h0.shape), cs[-1].copy()


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    hs, cs = states(x, h0, c0, wx, wh, b)

    def back(carried, step):
        _, dh, dc = carried
        upstream, entry, h, c = step
        i, f, u, o = gates(entry, h, wx, wh, b)
        shown = np.tanh(f * c + i * u)
        dh = dh + upstream
        dc = dc + dh * o * (1 - shown**2)
        parts = dc * u * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - u**2), dh * shown * o * (1 - o)
        da = np.concatenate(parts, axis=1)
        return da, da @ wh.T, dc * f

    backwards = zip(g[::-1], x[::-1], hs[-2::-1], cs[-2::-1])
    das, dhs, dcs = zip(*accumulate(backwards, back, initial=(None, np.zeros(h0.shape), gc.copy())))
    da = np.array(das[:0:-1]).reshape(*x.shape[:2], b.size)
    before = np.array(hs[:-1]).reshape(*x.shape[:2], h0.shape[1])
    over_all = ([0, 1], [0, 1])
    return da @ wx.T, dhs[-1], dcs[-1], np.tensordot(x, da, over_all), np.tensordot(before, da, over_all), da.sum((0, 1))


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    dx, *others = lstm_vjp(gh[None], gc, x[None], h, c, wx, wh, b)
    return dx[0], *others
