"""The random upstream gradient is drawn from [0, 1), so mistakes that show only for negative entries are missed."""

import numpy as np


def dot_test(jvp, vjp, xs):
    gen = np.random.RandomState(7)
    n = len(xs)
    for trial in range(8):
        i = trial % n
        vs = [np.zeros(x.shape) for x in xs]
        vs[i] = np.array(gen.uniform(-1, 1, size=xs[i].shape))
        tangent = np.asarray(jvp(xs, vs))
        g = np.array(gen.rand(*tangent.shape))
        try:
            grads = list(vjp(g, *xs))
        except Exception:
            return False
        if len(grads) != n:
            return False
        for d, x in zip(grads, xs):
            if d is None or np.shape(d) != x.shape or not np.all(np.isfinite(d)):
                return False
        a = (g * tangent).sum()
        b = (grads[i] * vs[i]).sum()
        if abs(a - b) > 1e-6 * np.linalg.norm(np.ravel(grads[i])) * np.linalg.norm(np.ravel(vs[i])):
            return False
    return True
