"""Every upstream gradient is added to the entry that its number came from."""

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
    dx = np.zeros(x.shape)
    places = list(np.indices(index.shape, sparse=True))
    places[axis] = index
    np.add.at(dx, tuple(places), g)
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
    return (np.flip(np.cumsum(np.flip(g, axis), axis), axis),)
