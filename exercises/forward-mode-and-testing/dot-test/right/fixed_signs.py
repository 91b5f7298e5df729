"""Deterministic probes: signs that follow a quadratic rule, different for each input and trial."""

import numpy as np


def signs(shape, number):
    """Sizes between 1 and 2 with irregular signs."""
    n = np.arange(1, int(np.prod(shape)) + 1)
    angle = (n * n * 0.6180339887 + n * 1.41421356 * (number + 1) + 0.3 * number) % 1.0
    return (np.where(angle < 0.5, -1.0, 1.0) * (1 + angle)).reshape(shape)


def dot_test(jvp, vjp, xs):
    try:
        return all(trial(jvp, vjp, xs, number) for number in range(6))
    except Exception:
        return False


def trial(jvp, vjp, xs, number):
    for i, x in enumerate(xs):
        direction = signs(x.shape, 7 * number + i)
        tangent = np.asarray(jvp(xs, [direction if i == k else np.zeros(y.shape) for k, y in enumerate(xs)]))
        g = signs(tangent.shape, 7 * number + 3)
        grads = vjp(g, *[np.array(y) for y in xs])
        if isinstance(grads, np.ndarray) or len(grads) != len(xs):
            return False
        terms = np.concatenate([(g * tangent).ravel(), -(direction * grads[i]).ravel()])
        if np.shape(grads[i]) != x.shape or not np.isfinite(terms).all() or not abs(terms.sum()) <= 1e-7 * abs(terms).sum():
            return False
    return True
