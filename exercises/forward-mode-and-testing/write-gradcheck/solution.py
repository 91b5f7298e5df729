"""Central differences for every entry of every input, with random upstream gradients."""

import numpy as np

TRIALS = 3
STEP = 1e-5
TOLERANCE = 1e-3


def gradcheck(f, vjp, xs: list[np.ndarray]) -> bool:
    rng = np.random.default_rng(0)
    copies = [x.copy() for x in xs]
    slopes = [differences(f, copies, x) for x in copies]
    shape = np.shape(f(*copies))
    return all(trial(vjp, xs, slopes, rng.normal(size=shape)) for _ in range(TRIALS))


def differences(f, xs: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """The Jacobian with respect to x, which is one of xs: first the axes of x, then those of the output."""
    found = []
    for place in np.ndindex(*x.shape):
        middle = x[place]
        h = STEP * max(1.0, abs(middle))
        values = []
        for moved in (middle + h, middle - h):
            x[place] = moved
            values.append(np.array(f(*xs)))
        x[place] = middle
        found.append((values[0] - values[1]) / (2 * h))
    return np.array(found).reshape(x.shape + np.shape(found[0]))


def trial(vjp, xs: list[np.ndarray], slopes: list[np.ndarray], g: np.ndarray) -> bool:
    given, inputs = g.copy(), [x.copy() for x in xs]
    try:
        gradients = vjp(given, *inputs)
    except Exception:
        return False
    if gradients is None or len(gradients) != len(xs):
        return False
    kept = np.array_equal(given, g) and all(map(np.array_equal, inputs, xs))
    return kept and all(equal(d, np.tensordot(slope, g, g.ndim)) for d, slope in zip(gradients, slopes, strict=True))


def equal(d: np.ndarray, truth: np.ndarray) -> bool:
    if d is None or np.shape(d) != truth.shape or not np.isfinite(d).all():
        return False
    return bool(abs(d - truth).max() <= TOLERANCE * abs(truth).max())
