# Held out. Mistake: the comparison has an absolute tolerance of 1e-6, so wrong gradients are accepted whenever the true ones are smaller than that.
import numpy as np


def gradcheck(f, vjp, xs):
    saved = [np.array(x, dtype=float, copy=True) for x in xs]
    rng = np.random.default_rng(0)
    try:
        y = np.asarray(f(*[s.copy() for s in saved]), dtype=float)
        g = rng.uniform(0.5, 1.5, size=y.shape) * rng.choice([-1.0, 1.0], size=y.shape)
        g = np.asarray(g)

        g_given = g.copy()
        given = [s.copy() for s in saved]
        grads = vjp(g_given, *given)
        if not isinstance(grads, (tuple, list)) or len(grads) != len(saved):
            return False
        if not np.array_equal(g_given, g):
            return False
        for a, b in zip(given, saved):
            if not np.array_equal(a, b):
                return False

        for k, d in enumerate(grads):
            if d is None:
                return False
            d = np.asarray(d)
            if d.shape != saved[k].shape or not np.all(np.isfinite(d)):
                return False
            numeric = np.zeros(saved[k].shape)
            for idx in np.ndindex(saved[k].shape):
                h = 5e-6 * max(1.0, abs(saved[k][idx]))
                plus = [s.copy() for s in saved]
                minus = [s.copy() for s in saved]
                plus[k][idx] += h
                minus[k][idx] -= h
                diff = np.asarray(f(*plus)) - np.asarray(f(*minus))
                numeric[idx] = np.sum(g * diff) / (plus[k][idx] - minus[k][idx])
            tol = 1e-6 + 0.03 * np.abs(numeric).max()
            if np.abs(d - numeric).max() > tol:
                return False
        return True
    except Exception:
        return False
