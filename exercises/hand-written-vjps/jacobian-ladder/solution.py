"""Four Jacobians, and four products with them that do not need the matrix."""

import numpy as np


def transpose_jacobian(x: np.ndarray) -> np.ndarray:
    came_from = np.arange(x.size).reshape(x.shape).T.reshape(-1)
    return np.eye(x.size)[came_from]


def running_mean_jacobian(x: np.ndarray) -> np.ndarray:
    return np.tri(x.size) / np.arange(1, x.size + 1)[:, None]


def sort_jacobian(x: np.ndarray) -> np.ndarray:
    return np.eye(x.size)[np.argsort(x, kind="stable")]


def convolve_jacobian(x: np.ndarray, *, w: np.ndarray) -> np.ndarray:
    jacobian = np.zeros((x.size + w.size - 1, x.size))
    for i in range(x.size):
        jacobian[i : i + w.size, i] = w
    return jacobian


def transpose_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return (g.T,)


def running_mean_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    share = g / np.arange(1, x.size + 1)  # what an output sends to each of its entries
    return (np.cumsum(share[::-1])[::-1],)


def sort_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    dx = np.empty(x.shape)
    dx[np.argsort(x, kind="stable")] = g
    return (dx,)


def convolve_vjp(g: np.ndarray, x: np.ndarray, *, w: np.ndarray) -> tuple[np.ndarray]:
    return (np.convolve(g, w[::-1])[w.size - 1 : w.size - 1 + x.size],)
