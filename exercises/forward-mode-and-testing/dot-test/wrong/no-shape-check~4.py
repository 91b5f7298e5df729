"""The shapes of the gradients are not checked: only the sizes are compared after ravel, so (n,) instead of (n, 1) is
accepted.
"""

import numpy as np


def flat(a):
    return np.ravel(np.asarray(a, dtype=float))


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(3)
    try:
        y = np.asarray(jvp(xs, [np.zeros(x.shape) for x in xs]))
        for _ in range(5):
            g = np.asarray(rng.normal(size=y.shape))
            grads = vjp(g, *xs)
            if len(grads) != len(xs):
                return False
            for i in range(len(xs)):
                vs = [np.zeros(x.shape) for x in xs]
                vs[i] = np.asarray(rng.normal(size=xs[i].shape))
                lhs = flat(g) @ flat(jvp(xs, vs))
                d = flat(grads[i])
                rhs = d @ flat(vs[i])
                if not abs(lhs - rhs) <= 1e-6 * np.linalg.norm(d) * np.linalg.norm(flat(vs[i])):
                    return False
    except Exception:
        return False
    return True
