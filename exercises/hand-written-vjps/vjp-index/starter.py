import numpy as np


def embedding_vjp(
    g: np.ndarray, weight: np.ndarray, ix: np.ndarray, *, padding_idx: int | None = None
) -> tuple[np.ndarray]:
    """(dweight,) for weight[ix]."""
    raise NotImplementedError("your part")


def gather_vjp(g: np.ndarray, x: np.ndarray, index: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    """(dx,) for np.take_along_axis(x, index, axis)."""
    raise NotImplementedError("your part")


def scatter_add_vjp(
    g: np.ndarray, x: np.ndarray, index: np.ndarray, src: np.ndarray, *, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    """(dx, dsrc) for a copy of x to which src is added at index along the axis."""
    raise NotImplementedError("your part")


def slice_vjp(g: np.ndarray, x: np.ndarray, *, key) -> tuple[np.ndarray]:
    """(dx,) for x[key], where key consists of ints, slices and Ellipsis."""
    raise NotImplementedError("your part")


def concat_vjp(g: np.ndarray, *xs: np.ndarray, axis: int = 0) -> tuple[np.ndarray, ...]:
    """One gradient for each array, for np.concatenate(xs, axis)."""
    raise NotImplementedError("your part")


def repeat_vjp(g: np.ndarray, x: np.ndarray, *, n: int, axis: int) -> tuple[np.ndarray]:
    """(dx,) for np.repeat(x, n, axis)."""
    raise NotImplementedError("your part")


def cumsum_vjp(g: np.ndarray, x: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    """(dx,) for np.cumsum(x, axis)."""
    raise NotImplementedError("your part")
