"""The loss of Crammer and Singer, in value and gradient."""

import numpy as np


def hinge(x, t, *, margin=1.0):
    n = len(t)
    if n == 0:
        return 0.0
    correct = x[np.arange(n), t][:, None]
    losses = np.maximum(0, x - correct + margin)
    losses[np.arange(n), t] = 0
    return float(losses.max(axis=1).sum() / n)


def hinge_vjp(g, x, t, *, margin=1.0):
    n = len(t)
    if n == 0:
        return (np.zeros_like(x),)
    correct = x[np.arange(n), t][:, None]
    s = x - correct + margin
    s[np.arange(n), t] = 0
    worst = s.argmax(axis=1)
    dx = np.zeros(x.shape)
    dx[np.arange(n), worst] = s[np.arange(n), worst] > 0
    dx[np.arange(n), t] = 0
    dx[np.arange(n), t] = -dx.sum(axis=1)
    return (g * dx / n,)
