"""The test looks for a difference that is too large, and nan is never too large."""

import numpy as np


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(7)
    for _ in range(4):
        for i, x in enumerate(xs):
            vs = [np.zeros(y.shape) for y in xs]
            vs[i] = rng.standard_normal(x.shape)
            t = np.asarray(jvp(xs, vs))
            g = rng.standard_normal(t.shape)
            try:
                grads = vjp(g, *xs)
            except Exception:
                return False
            if not isinstance(grads, (tuple, list)) or len(grads) != len(xs):
                return False
            for y, d in zip(xs, grads):
                if d is None or np.shape(d) != y.shape:
                    return False
            lhs = np.sum(g * t)
            rhs = np.sum(grads[i] * vs[i])
            scale = np.linalg.norm(g * t) + np.linalg.norm(grads[i] * vs[i])
            if abs(lhs - rhs) > 1e-7 * scale:
                return False
    return True
