"""The four gates are an axis of their own: the weights become (D, 4, H) and (H, 4, H), all gates one array (4, N, H).

All four derivatives are one product of two stacked arrays, and every contraction is a tensordot.
"""

from types import SimpleNamespace

import numpy as np


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    H = prev_h.shape[1]
    wx, wh = Wx.reshape(-1, 4, H), Wh.reshape(-1, 4, H)
    a = np.tensordot(x, wx, 1) + np.tensordot(prev_h, wh, 1) + b.reshape(4, H)
    a = a.transpose(1, 0, 2)
    gates = np.concatenate([np.exp(-np.logaddexp(0, -a[:3])), np.tanh(a[3:])])
    i, f, o, g = gates
    next_c = f * prev_c + i * g
    shown = np.tanh(next_c)
    return o * shown, next_c, SimpleNamespace(**locals())


def lstm_step_backward(dnext_h, dnext_c, cache):
    i, f, o, g = cache.gates
    dc = dnext_c + dnext_h * o * (1 - cache.shown**2)
    slopes = np.concatenate([cache.gates[:3] * (1 - cache.gates[:3]), 1 - cache.gates[3:] ** 2])
    da = slopes * np.stack([dc * g, dc * cache.prev_c, dnext_h * cache.shown, dc * i])
    to_inputs = ([0, 2], [1, 2])
    dx, dprev_h = np.tensordot(da, cache.wx, to_inputs), np.tensordot(da, cache.wh, to_inputs)
    dWx, dWh = (np.tensordot(v, da, (0, 1)).reshape(v.shape[1], -1) for v in (cache.x, cache.prev_h))
    return dx, dprev_h, dc * f, dWx, dWh, da.sum(axis=1).ravel()
