import math

import numpy as np

Axis = int | tuple[int, ...] | None


def spread(g: np.ndarray, x: np.ndarray, axis: Axis, keepdims: bool) -> np.ndarray:
    """The upstream gradient of the slice of each entry, in the shape of x."""
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, x.shape)


def slice_size(x: np.ndarray, axis: Axis) -> int:
    if axis is None:
        return x.size
    return math.prod(x.shape[a] for a in np.atleast_1d(axis))


def sum_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    return (spread(g, x, axis, keepdims),)


def mean_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    return (spread(g, x, axis, keepdims) / slice_size(x, axis),)


def var_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[np.ndarray]:
    centred = x - x.mean(axis=axis, keepdims=True)  # sums to 0, so the path through the mean contributes nothing
    return (spread(g, x, axis, keepdims) * 2 * centred / (slice_size(x, axis) - ddof),)


def norm_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    dx, stepped = np.zeros(x.shape), x.astype(complex)
    upstream = spread(g, x, axis, keepdims)
    for place in np.ndindex(x.shape):
        stepped[place] += 1e-30j
        norm = np.sqrt((stepped * stepped).sum(axis=axis, keepdims=True))
        slope = np.broadcast_to(np.where(norm.real == 0, 0.0, norm.imag), x.shape)
        dx[place] = (upstream * slope)[place] / 1e-30
        stepped[place] = x[place]
    return (dx,)
