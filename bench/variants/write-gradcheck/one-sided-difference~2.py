"""A forward difference with a long step."""

import numpy as np


def numeric(f, xs, i, g):
    """The derivative of the sum of g * f with respect to every entry of xs[i]."""
    grad = np.zeros(xs[i].shape)
    for at in np.ndindex(xs[i].shape):
        h = 1e-2
        plus, minus = [x.copy() for x in xs], [x.copy() for x in xs]
        plus[i][at] += h
        grad[at] = np.sum(g * (f(*plus) - f(*minus))) / h
    return grad


def gradcheck(f, vjp, xs):
    rng = np.random.default_rng(3)
    for _ in range(3):
        g = rng.normal(size=f(*xs).shape)
        g_sent, xs_sent = g.copy(), [x.copy() for x in xs]
        try:
            grads = vjp(g_sent, *xs_sent)
        except Exception:
            return False
        if not np.array_equal(g, g_sent) or not all(np.array_equal(a, b) for a, b in zip(xs, xs_sent)):
            return False
        if not isinstance(grads, (tuple, list)) or len(grads) != len(xs):
            return False
        for i, d in enumerate(grads):
            if d is None or np.shape(d) != xs[i].shape or not np.isfinite(d).all():
                return False
            n = numeric(f, xs, i, g)
            if np.abs(d - n).max() > 1e-3 * np.abs(n).max():
                return False
    return True
