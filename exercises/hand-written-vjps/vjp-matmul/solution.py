"""The backward pass of np.matmul: vectors become matrices, the two formulas apply, and broadcast copies are summed."""

import numpy as np


def matmul_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left = a[None, :] if a.ndim == 1 else a  # a row
    right = b[:, None] if b.ndim == 1 else b  # a column
    if b.ndim == 1:
        g = np.expand_dims(g, -1)  # restore the axes that matmul removed
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = unbroadcast(g @ transposed(right), left.shape)
    db = unbroadcast(transposed(left) @ g, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)


def transposed(matrices: np.ndarray) -> np.ndarray:
    """Transpose each matrix; the batch axes keep their positions."""
    return np.swapaxes(matrices, -1, -2)


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=stretched, keepdims=True)
