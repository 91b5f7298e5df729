"""With one-hot rows and products of matrices; a mask of the wrong classes instead of an assignment."""

import numpy as np


def hinge(x, t, *, margin=1.0):
    hot = np.eye(x.shape[1])[t]
    missed = x - (x * hot) @ np.ones((x.shape[1], 1)) + margin
    total = np.sum(np.clip(missed, 0, None) * (1 - hot))
    return np.asarray(total / x.shape[0] if x.shape[0] else total)


def hinge_vjp(g, x, t, *, margin=1.0):
    hot = np.eye(x.shape[1])[t]
    missed = x - (x * hot) @ np.ones((x.shape[1], 1)) + margin
    active = (1 - hot) * np.heaviside(missed, 0)
    dx = active - hot * active.sum(axis=1, keepdims=True)
    return (dx * (g / max(1, x.shape[0])),)
