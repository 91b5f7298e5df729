"""Four gradients from the differentials of the defining equations, for batches of matrices."""

import numpy as np


def transposed(matrices: np.ndarray) -> np.ndarray:
    """Transpose each matrix; the batch axes keep their positions."""
    return np.swapaxes(matrices, -1, -2)


def inv_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    z = transposed(np.linalg.inv(a))
    return (-z @ g @ z,)


def logabsdet_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    return (g[..., None, None] * transposed(np.linalg.inv(a)),)


def cholesky_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    c = np.linalg.cholesky(a)
    m = transposed(c) @ g
    phi = (np.tril(m) + np.tril(m, -1)) / 2  # twice on the diagonal, once below it: the diagonal is halved
    z = np.linalg.inv(c)
    da = transposed(z) @ phi @ z
    return ((da + transposed(da)) / 2,)


def solve_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = np.linalg.solve(a, b)
    db = np.linalg.solve(transposed(a), g)
    da = -db @ transposed(x)
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum over the copies of each matrix."""
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=stretched, keepdims=True)
