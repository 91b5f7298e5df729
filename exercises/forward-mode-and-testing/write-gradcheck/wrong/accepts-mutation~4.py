"""Vjp gets the arrays of the caller, and a change in place is detected but not undone."""

import numpy as np


def central(f, xs, k, index, g):
    x = xs[k]
    h = 1e-5 * max(1.0, abs(float(x[index])))
    values = []
    for sign in (+1, -1):
        moved = [a.copy() for a in xs]
        moved[k][index] = x[index] + sign * h
        values.append(np.array(f(*moved)))
    return float((g * (values[0] - values[1])).sum() / (2 * h))


def gradcheck(f, vjp, xs):
    before = [x.copy() for x in xs]
    shape = np.shape(f(*[x.copy() for x in xs]))
    for seed in range(2):
        rng = np.random.default_rng(seed)
        g = np.asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape))
        g_before = g.copy()
        try:
            grads = vjp(g, *xs)
        except Exception:
            return False
        if any((a != b).any() for a, b in zip(xs, before)) or (g != g_before).any():
            return False
        if not isinstance(grads, (tuple, list)) or len(grads) != len(xs):
            return False
        for k, grad in enumerate(grads):
            if grad is None or np.shape(grad) != xs[k].shape or not np.isfinite(grad).all():
                return False
            want = np.zeros(xs[k].shape)
            for index in np.ndindex(*want.shape):
                want[index] = central(f, before, k, index, g)
            if (np.abs(grad - want) > 0.05 * np.abs(want).max()).any():
                return False
    return True
