"""Five kinks. Blocked entries are selected away instead of being multiplied by 0, because 0 * inf is nan."""

import numpy as np


def relu_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return (np.where(x > 0, g, 0.0),)


def leaky_relu_vjp(g: np.ndarray, x: np.ndarray, *, slope: float) -> tuple[np.ndarray]:
    below = slope * g if slope > 0 else 0.0
    return (np.where(x > 0, g, below),)


def abs_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return (np.where(x > 0, g, np.where(x < 0, -g, 0.0)),)


def clamp_min_vjp(g: np.ndarray, x: np.ndarray, *, lo: float) -> tuple[np.ndarray]:
    return (np.where(x >= lo, g, 0.0),)


def maximum0_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return (np.where(x > 0, g, np.where(x < 0, 0.0, g / 2)),)
