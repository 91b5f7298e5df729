"""Random upstream gradients and directions, one input at a time."""

import numpy as np

TRIALS = 3
TOLERANCE = 1e-6


def dot_test(jvp, vjp, xs: list[np.ndarray]) -> bool:
    rng = np.random.default_rng(0)
    return all(agree(jvp, vjp, xs, rng) for _ in range(TRIALS))


def agree(jvp, vjp, xs: list[np.ndarray], rng: np.random.Generator) -> bool:
    vs = [rng.normal(size=x.shape) for x in xs]
    tangents = [jvp(xs, [v * (i == k) for i, v in enumerate(vs)]) for k in range(len(xs))]
    g = rng.normal(size=np.shape(tangents[0]))
    try:
        gradients = vjp(g, *xs)
    except Exception:
        return False
    if gradients is None or len(gradients) != len(xs):
        return False
    return all(equal(g * tangent, v, d) for tangent, v, d in zip(tangents, vs, gradients, strict=True))


def equal(left: np.ndarray, v: np.ndarray, d: np.ndarray) -> bool:
    """Whether the sum of left is the dot product of v and the gradient d, relative to the size of the terms."""
    if d is None or np.shape(d) != v.shape or not np.isfinite(d).all():
        return False
    right = v * d
    return bool(abs(left.sum() - right.sum()) <= TOLERANCE * (abs(left).sum() + abs(right).sum()))
