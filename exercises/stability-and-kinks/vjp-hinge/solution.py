"""The multiclass hinge loss: a table of the terms, with 0 in the place of the target."""

import numpy as np


def terms(x: np.ndarray, t: np.ndarray, margin: float) -> np.ndarray:
    """By how much each wrong class misses the margin; 0 if it does not, and for the target."""
    rows = np.arange(len(t))
    missed = np.maximum(x - x[rows, t][:, None] + margin, 0.0)
    missed[rows, t] = 0.0
    return missed


def hinge(x: np.ndarray, t: np.ndarray, *, margin: float = 1.0) -> float:
    return terms(x, t, margin).sum() / max(len(t), 1)


def hinge_vjp(g: np.ndarray, x: np.ndarray, t: np.ndarray, *, margin: float = 1.0) -> tuple[np.ndarray]:
    slopes = (terms(x, t, margin) > 0).astype(float)
    slopes[np.arange(len(t)), t] = -slopes.sum(axis=1)
    return (g * slopes / max(len(t), 1),)
