"""Three maxima: a mask of the tied entries, and what each convention does with it."""

import numpy as np

Axis = int | tuple[int, ...] | None


def with_reduced_axes(g: np.ndarray, axis: Axis, keepdims: bool) -> np.ndarray:
    return g if axis is None or keepdims else np.expand_dims(g, axis)


def amax_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    tied = x == x.max(axis=axis, keepdims=True)
    count = tied.sum(axis=axis, keepdims=True)
    return (with_reduced_axes(g, axis, keepdims) * tied / count,)


def max_first_vjp(g: np.ndarray, x: np.ndarray, *, axis: int, keepdims: bool = False) -> tuple[np.ndarray]:
    tied = x == x.max(axis=axis, keepdims=True)
    first = tied & (tied.cumsum(axis=axis) == 1)  # the running count is 1 from the first tied entry up to the second
    return (with_reduced_axes(g, axis, keepdims) * first,)


def maximum_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    share = np.where(x == y, 0.5, x > y)
    return g * share, g * (1 - share)
