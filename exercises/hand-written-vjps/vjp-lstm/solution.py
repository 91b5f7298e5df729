"""One step and its backward pass, and a loop over the steps in either direction. Two gradients are carried back."""

import numpy as np

Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def sigmoid(a: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(a / 2)) / 2


def gates(x: np.ndarray, h: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    i, f, u, o = np.split(x @ wx + h @ wh + b, 4, axis=1)
    return sigmoid(i), sigmoid(f), np.tanh(u), sigmoid(o)


def lstm_step(
    x: np.ndarray, h: np.ndarray, c: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    i, f, u, o = gates(x, h, wx, wh, b)
    after = f * c + i * u
    return o * np.tanh(after), after


def lstm_step_vjp(
    gh: np.ndarray,
    gc: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    c: np.ndarray,
    wx: np.ndarray,
    wh: np.ndarray,
    b: np.ndarray,
) -> Gradients:
    i, f, u, o = gates(x, h, wx, wh, b)
    squashed = np.tanh(f * c + i * u)
    dafter = gc + gh * o * (1 - squashed**2)
    of_gates = dafter * u * i * (1 - i), dafter * c * f * (1 - f), dafter * i * (1 - u**2), gh * squashed * o * (1 - o)
    da = np.concatenate(of_gates, axis=1)
    return da @ wx.T, da @ wh.T, dafter * f, x.T @ da, h.T @ da, da.sum(axis=0)


def lstm(
    x: np.ndarray, h0: np.ndarray, c0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    h, c = h0, c0
    hidden = np.zeros((len(x), *h0.shape))
    for t in range(len(x)):
        h, c = lstm_step(x[t], h, c, wx, wh, b)
        hidden[t] = h
    return hidden, c


def lstm_vjp(
    g: np.ndarray,
    gc: np.ndarray,
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    wx: np.ndarray,
    wh: np.ndarray,
    b: np.ndarray,
) -> Gradients:
    before = [(h0, c0)]
    for inputs in x:
        before.append(lstm_step(inputs, *before[-1], wx, wh, b))
    dx, dwx, dwh, db = np.zeros(x.shape), np.zeros(wx.shape), np.zeros(wh.shape), np.zeros(b.shape)
    dh, dc = np.zeros(h0.shape), gc
    for t in reversed(range(len(x))):
        dx[t], dh, dc, *shares = lstm_step_vjp(g[t] + dh, dc, x[t], *before[t], wx, wh, b)
        dwx, dwh, db = dwx + shares[0], dwh + shares[1], db + shares[2]
    return dx, dh, dc, dwx, dwh, db
