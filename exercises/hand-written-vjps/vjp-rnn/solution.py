"""The steps of the forward pass, and the same steps in reverse order with one gradient that is carried along."""

import numpy as np


def states(x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The initial state and the states after each step, stacked."""
    h = [h0]
    for inputs in x:
        h.append(np.tanh(inputs @ wx + h[-1] @ wh + b))
    return np.array(h)


def rnn(x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> np.ndarray:
    return states(x, h0, wx, wh, b)[1:]


def rnn_vjp(
    g: np.ndarray, x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    h = states(x, h0, wx, wh, b)
    dx, dwx, dwh, db = np.zeros(x.shape), np.zeros(wx.shape), np.zeros(wh.shape), np.zeros(b.shape)
    dh = np.zeros(h0.shape)
    for t in reversed(range(len(x))):
        da = (g[t] + dh) * (1 - h[t + 1] ** 2)
        dx[t] = da @ wx.T
        dwx += x[t].T @ da
        dwh += h[t].T @ da
        db += da.sum(axis=0)
        dh = da @ wh.T
    return dx, dh, dwx, dwh, db
