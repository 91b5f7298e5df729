"""Rounded to six digits before the comparison."""

import numpy as np


def hinge(x, t, *, margin=1.0):
    n = len(t)
    if n == 0:
        return 0.0
    correct = x[np.arange(n), t][:, None]
    losses = np.maximum(0, x - correct + margin)
    losses[np.arange(n), t] = 0
    return float(losses.sum() / n)


def hinge_vjp(g, x, t, *, margin=1.0):
    n = len(t)
    if n == 0:
        return (np.zeros_like(x),)
    correct = x[np.arange(n), t][:, None]
    dx = (np.round(x - correct + margin, 6) > 0).astype(float)
    dx[np.arange(n), t] = 0
    dx[np.arange(n), t] = -dx.sum(axis=1)
    return (g * dx / n,)
