import numpy as np


def embedding_vjp(
    g: np.ndarray, weight: np.ndarray, ix: np.ndarray, *, padding_idx: int | None = None
) -> tuple[np.ndarray]:
    dweight = np.zeros(weight.shape)
    np.add.at(dweight, ix, g)  # adds every contribution, also for repeated indices
    if padding_idx is not None:
        dweight[padding_idx] = 0.0
    return (dweight,)


def gather_vjp(g: np.ndarray, x: np.ndarray, index: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    return by_unit_arrays(g, x, lambda unit: np.take_along_axis(unit, index, axis))


def by_unit_arrays(g: np.ndarray, x: np.ndarray, forward) -> tuple[np.ndarray]:
    """A linear function of an array with a single 1 is a column of the Jacobian."""
    dx, unit = np.zeros(x.shape), np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        unit[place] = 1.0
        dx[place] = (g * forward(unit)).sum()
        unit[place] = 0.0
    return (dx,)


def scatter_add_vjp(
    g: np.ndarray, x: np.ndarray, index: np.ndarray, src: np.ndarray, *, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    return g, np.take_along_axis(g, index, axis)


def slice_vjp(g: np.ndarray, x: np.ndarray, *, key) -> tuple[np.ndarray]:
    dx = np.zeros(x.shape)
    dx[key] = g
    return (dx,)


def concat_vjp(g: np.ndarray, *xs: np.ndarray, axis: int = 0) -> tuple[np.ndarray, ...]:
    ends = np.cumsum([x.shape[axis] for x in xs])
    return tuple(np.split(g, ends[:-1], axis))


def repeat_vjp(g: np.ndarray, x: np.ndarray, *, n: int, axis: int) -> tuple[np.ndarray]:
    axis = axis % x.ndim
    copies = g.reshape(*x.shape[: axis + 1], n, *x.shape[axis + 1 :])
    return (copies.sum(axis=axis + 1),)


def cumsum_vjp(g: np.ndarray, x: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    return by_unit_arrays(g, x, lambda unit: np.cumsum(unit, axis))
