# Held out. Mistake: amax puts the reduced axes back one at a time in the order in which the tuple names them, so an unsorted tuple or one with negative axes gives wrongly shaped gradients.
import numpy as np


def _spread(g, axis, keepdims, ndim):
    """give g the reduced axes back, with size 1"""
    if keepdims:
        return g
    if axis is None:
        return np.reshape(g, (1,) * ndim)
    if isinstance(axis, int):
        return np.expand_dims(g, axis)
    for a in axis:
        g = np.expand_dims(g, a)
    return g


def amax_vjp(
    g: np.ndarray, x: np.ndarray, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> tuple[np.ndarray]:
    g = _spread(g, axis, keepdims, x.ndim)
    tied = x == np.max(x, axis=axis, keepdims=True)
    share = tied / np.sum(tied, axis=axis, keepdims=True)
    return (share * g,)


def max_first_vjp(g: np.ndarray, x: np.ndarray, *, axis: int, keepdims: bool = False) -> tuple[np.ndarray]:
    g = _spread(g, axis, keepdims, x.ndim)
    k = np.argmax(x, axis=axis)
    index = np.arange(x.shape[axis])
    shape = [1] * x.ndim
    shape[axis] = -1
    chosen = index.reshape(shape) == np.expand_dims(k, axis)
    return (np.where(chosen, g, 0.0),)


def maximum_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = 0.5 * (x == y)
    return (x > y) * g + half * g, (y > x) * g + half * g
