"""Np.allclose with an absolute tolerance compares the gradients, so wrong gradients of a small size are accepted."""

import numpy as np


def gradcheck(f, vjp, xs):
    rng = np.random.default_rng(0)
    originals = [np.array(x, copy=True) for x in xs]
    g = rng.standard_normal(np.shape(f(*[x.copy() for x in originals])))
    result = call(vjp, g, originals)
    if result is None:
        return False

    def objective(arrays):
        return float(np.sum(g * f(*arrays)))

    for k in range(len(originals)):
        estimate = np.empty(originals[k].shape)
        for index in np.ndindex(*estimate.shape):
            arrays = [x.copy() for x in originals]
            center = arrays[k][index]
            h = 1e-5 * max(1.0, abs(center))
            arrays[k][index] = center + h
            plus = objective(arrays)
            arrays = [x.copy() for x in originals]
            arrays[k][index] = center - h
            minus = objective(arrays)
            estimate[index] = (plus - minus) / (2 * h)
        scale = np.abs(estimate).max()
        if not np.allclose(result[k], estimate, rtol=0.0, atol=1e-6 + 0.03 * scale):
            return False
    return True


def call(vjp, g, originals):
    """The gradients, or None if something is wrong with them apart from the numbers."""
    g_copy, x_copies = g.copy(), [x.copy() for x in originals]
    try:
        grads = vjp(g_copy, *x_copies)
        if not isinstance(grads, (list, tuple)) or len(grads) != len(originals):
            return None
        for grad, x in zip(grads, originals):
            if grad is None or np.shape(grad) != x.shape or not np.isfinite(grad).all():
                return None
    except Exception:
        return None
    unchanged = np.array_equal(g_copy, g) and all(map(np.array_equal, x_copies, originals))
    return [np.array(grad) for grad in grads] if unchanged else None
