"""The same with a grid of indices, in a loop."""

import numpy as np


def embedding_vjp(g, weight, ix, *, padding_idx=None):
    rows, width = weight.shape
    dweight = np.zeros((rows, width))
    for i, upstream in zip(ix.reshape(-1), g.reshape(ix.size, width)):
        if padding_idx is None or i % rows != padding_idx:
            dweight[i] += upstream
    return (dweight,)


def gather_vjp(g, x, index, *, axis):
    dx = np.zeros(x.shape)
    for place in np.ndindex(*index.shape):
        source = list(place)
        source[axis] = index[place]
        dx[tuple(source)] += g[place]
    return (dx,)


def scatter_add_vjp(g, x, index, src, *, axis):
    dx, dsrc = np.array(g), np.empty(src.shape)
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place]
        dsrc[place] = g[tuple(target)]
        dx[tuple(target)] = 0
    return dx, dsrc


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
