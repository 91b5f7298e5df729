"""Every sample on its own. The Jacobians of the steps are multiplied from the left."""

import numpy as np


def one(x, h0, wx, wh, b):
    h = [h0]
    for row in x:
        h.append(np.tanh(wx.T @ row + wh.T @ h[-1] + b))
    return np.array(h)


def rnn(x, h0, wx, wh, b):
    steps, samples, _ = x.shape
    out = np.zeros((steps, samples, len(b)))
    for n in range(samples):
        out[:, n] = one(x[:, n], h0[n], wx, wh, b)[1:]
    return out


def rnn_vjp(g, x, h0, wx, wh, b):
    grads = [np.zeros(v.shape) for v in (x, h0, wx, wh, b)]
    dx, dh0, dwx, dwh, db = grads
    for n in range(x.shape[1]):
        h = one(x[:, n], h0[n], wx, wh, b)
        adjoint = np.zeros(len(b))
        for t in range(len(x), 0, -1):
            adjoint = np.diag(1 - h[t] ** 2) @ (adjoint + g[t - 1, n])
            dx[t - 1, n] = wx @ adjoint
            dwx += np.outer(x[t - 1, n], adjoint)
            dwh += np.outer(h[t - 1], adjoint)
            db += adjoint
            adjoint = wh @ adjoint
        dh0[n] = adjoint
    return tuple(grads)
