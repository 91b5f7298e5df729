"""The mask is only applied if padding_idx is truthy."""

import numpy as np


def embedding_vjp(g, weight, ix, *, padding_idx=None):
    n, d = weight.shape
    flat, upstream = ix.ravel() % n, g.reshape(-1, d) if d else np.zeros((ix.size, 0))
    keep = flat != padding_idx if padding_idx else np.full(flat.shape, True)
    out = np.zeros((n, d))
    np.add.at(out, flat[keep], upstream[keep])
    return (out,)


def gather_vjp(g, x, index, *, axis):
    dx = np.zeros(x.shape)
    for place in np.ndindex(*index.shape):
        source = list(place)
        source[axis] = index[place]
        dx[tuple(source)] += g[place]
    return (dx,)


def scatter_add_vjp(g, x, index, src, *, axis):
    dsrc = np.zeros(src.shape)
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place]
        dsrc[place] = g[tuple(target)]
    return g, dsrc


def slice_vjp(g, x, *, key):
    out = np.zeros(x.shape)
    out[key] += g
    return (out,)


def concat_vjp(g, *xs, axis=0):
    grads, start = [], 0
    g = np.moveaxis(g, axis, 0)
    for x in xs:
        stop = start + x.shape[axis]
        grads.append(np.moveaxis(g[start:stop], 0, axis))
        start = stop
    return tuple(grads)


def repeat_vjp(g, x, *, n, axis):
    g = np.moveaxis(g, axis, 0)
    dx = sum(g[k::n] for k in range(n))
    return (np.moveaxis(dx, 0, axis),)


def cumsum_vjp(g, x, *, axis):
    total = g.sum(axis=axis, keepdims=True)
    return (total - np.cumsum(g, axis=axis) + g,)
