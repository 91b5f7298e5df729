# TODO(author): the reference solution; it must get full marks
"""Central differences for every entry, with one random upstream gradient."""

from collections.abc import Callable

import numpy as np

STEP = 1e-5
TOLERANCE = 1e-2


def is_right(
    f: Callable[[np.ndarray], np.ndarray], vjp: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray
) -> bool:
    g = np.random.default_rng(0).normal(size=x.shape)
    given = vjp(g, x)
    if given.shape != x.shape:
        return False
    truth = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        h = np.zeros(x.shape)
        h[place] = STEP
        truth[place] = (g * (f(x + h) - f(x - h))).sum() / (2 * STEP)
    return bool(abs(given - truth).max() <= TOLERANCE * abs(truth).max())
