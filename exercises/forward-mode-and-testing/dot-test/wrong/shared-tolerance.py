"""All inputs share one comparison, so an error in an input with a small gradient disappears in the tolerance of a
large one.
"""

import numpy as np


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(0)
    try:
        out_shape = np.shape(jvp(xs, [np.zeros_like(x) for x in xs]))
        for _ in range(10):
            g = np.asarray(rng.standard_normal(out_shape))
            vs = [np.asarray(rng.standard_normal(x.shape)) for x in xs]
            ds = vjp(g, *xs)
            if ds is None or len(ds) != len(xs):
                return False
            if any(d is None or np.shape(d) != x.shape for d, x in zip(ds, xs)):
                return False
            left = float(np.sum(g * jvp(xs, vs)))
            right = sum(float(np.sum(d * v)) for d, v in zip(ds, vs))
            size = sum(float(np.linalg.norm(d)) for d in ds)
            if not abs(left - right) < 1e-2 * size:
                return False
        return True
    except Exception:
        return False
