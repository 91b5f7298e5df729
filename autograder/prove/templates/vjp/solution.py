# TODO(author): the reference solution; it must get full marks
"""Every row of x uses w, so the gradients of the rows add up."""

import numpy as np


def scale_vjp(g: np.ndarray, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return g * w, (g * x).sum(axis=0)
