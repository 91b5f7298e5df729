"""The two sides are compared with an absolute tolerance, so small wrong gradients pass and large right ones fail by
rounding.
"""

import numpy as np


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(42)
    try:
        for k in range(15):
            vs = [np.asarray(rng.standard_normal(x.shape)) if k % len(xs) == j else np.zeros(x.shape) for j, x in enumerate(xs)]
            jv = np.asarray(jvp(xs, vs))
            g = np.asarray(rng.standard_normal(jv.shape))
            d = vjp(g, *xs)
            if not isinstance(d, (list, tuple)):
                return False
            if [np.shape(a) for a in d] != [x.shape for x in xs]:
                return False
            if any(a is None or not np.isfinite(a).all() for a in d):
                return False
            total = sum(np.sum(a * v) for a, v in zip(d, vs))
            if abs(np.sum(g * jv) - total) > 1e-7:
                return False
        return True
    except Exception:
        return False
