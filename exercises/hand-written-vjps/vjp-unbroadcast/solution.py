"""The backward pass of broadcasting: gradients are summed over all copies that broadcasting made."""

import numpy as np


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added = g.ndim - len(shape)  # axes that broadcasting added in front
    g = g.sum(axis=tuple(range(added)))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=stretched, keepdims=True)


def add_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
