import numpy as np

Axis = int | tuple[int, ...] | None


def with_reduced_axes(g: np.ndarray, axis: Axis, keepdims: bool) -> np.ndarray:
    return g if axis is None or keepdims else np.expand_dims(g, axis)


def amax_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    """One pass over the whole array for each entry asks whether it is a maximum."""
    dx = np.zeros(x.shape)
    upstream = np.broadcast_to(with_reduced_axes(g, axis, keepdims), x.shape)
    for place in np.ndindex(x.shape):
        tied = x == x.max(axis=axis, keepdims=True)
        dx[place] = (upstream * tied / tied.sum(axis=axis, keepdims=True))[place]
    return (dx,)


def max_first_vjp(g: np.ndarray, x: np.ndarray, *, axis: int, keepdims: bool = False) -> tuple[np.ndarray]:
    tied = x == x.max(axis=axis, keepdims=True)
    first = tied & (tied.cumsum(axis=axis) == 1)  # the running count is 1 from the first tied entry up to the second
    return (with_reduced_axes(g, axis, keepdims) * first,)


def maximum_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    share = np.where(x == y, 0.5, x > y)
    return g * share, g * (1 - share)
