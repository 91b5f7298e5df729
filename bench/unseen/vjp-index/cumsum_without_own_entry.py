# Held out. Mistake: the gradient of the cumulative sum adds up only the upstream gradients after each position and leaves out the one at the position itself, although every entry is part of its own partial sum.
# True: off-by-one
import numpy as np


def embedding_vjp(g, weight, ix, *, padding_idx=None):
    dw = np.zeros(weight.shape)
    np.add.at(dw, ix, g)
    if padding_idx is not None:
        dw[padding_idx] = 0
    return (dw,)


def slice_vjp(g, x, *, key):
    dx = np.zeros(x.shape)
    dx[key] = g
    return (dx,)


def _places(shape, index, axis):
    """Full index arrays that name the same places as index along the axis."""
    places = list(np.indices(index.shape, sparse=True))
    places[axis] = index
    return tuple(places)


def gather_vjp(g, x, index, *, axis):
    dx = np.zeros(x.shape)
    np.add.at(dx, _places(x.shape, index, axis), g)
    return (dx,)


def scatter_add_vjp(g, x, index, src, *, axis):
    return g.copy(), np.take_along_axis(g, index, axis)


def concat_vjp(g, *xs, axis=0):
    ends = np.cumsum([x.shape[axis] for x in xs])[:-1]
    return tuple(np.split(g, ends, axis=axis))


def repeat_vjp(g, x, *, n, axis):
    axis = axis % x.ndim
    shape = x.shape[: axis + 1] + (n,) + x.shape[axis + 1 :]
    return (g.reshape(shape).sum(axis=axis + 1),)


def cumsum_vjp(g, x, *, axis):
    total = g.sum(axis=axis, keepdims=True)
    return (total - np.cumsum(g, axis=axis),)
