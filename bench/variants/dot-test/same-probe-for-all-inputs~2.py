"""One long direction is cut to the size of each input."""

import numpy as np


def well_formed(grads, xs):
    if not isinstance(grads, (tuple, list)):
        return False
    if len(grads) != len(xs):
        return False
    return all(d is not None and np.asarray(d).shape == x.shape and np.isfinite(d).all() for d, x in zip(grads, xs))


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(0)
    good = True
    for trial in range(5):
        longest = rng.normal(size=max(x.size for x in xs))
        vs = [longest[:x.size].reshape(x.shape) for x in xs]
        tangent = jvp(xs, vs)
        g = rng.normal(size=tangent.shape)
        try:
            grads = vjp(g, *xs)
        except Exception:
            return False
        if not well_formed(grads, xs):
            return False
        forward = float((g * tangent).sum())
        backward = float(sum((d * v).sum() for d, v in zip(grads, vs)))
        size = float(abs(g * tangent).sum() + sum(abs(d * v).sum() for d, v in zip(grads, vs)))
        good = good and abs(forward - backward) <= 1e-8 * size
    return good
