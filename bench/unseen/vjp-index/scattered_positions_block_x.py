# Held out. Mistake: scatter_add_vjp sets dx to 0 at all positions to which something is added, as if the operation overwrote x there, although x still contributes to these entries and should get the whole g.
# True: set-instead-of-add
import numpy as np


def embedding_vjp(g, weight, ix, *, padding_idx=None):
    rows, width = weight.shape
    flat = ix.reshape(-1) % rows
    gflat = g.reshape(flat.size, width)
    keep = np.ones(flat.size, dtype=bool) if padding_idx is None else flat != padding_idx
    out = np.zeros((rows, width))
    np.add.at(out, flat[keep], gflat[keep])
    return (out,)


def gather_vjp(g, x, index, *, axis):
    dx = np.zeros_like(x)
    # bring the axis to the front; what is left are independent columns
    d = np.moveaxis(dx, axis, 0)
    i = np.moveaxis(index, axis, 0)
    others = np.indices(i.shape)[1:]
    np.add.at(d, (i, *others), np.moveaxis(g, axis, 0))
    return (dx,)


def scatter_add_vjp(g, x, index, src, *, axis):
    dsrc = np.take_along_axis(g, index, axis=axis)
    dx = np.array(g)
    np.put_along_axis(dx, index, 0.0, axis=axis)
    return (dx, dsrc)


def slice_vjp(g, x, *, key):
    dx = np.zeros_like(x)
    dx[key] += g
    return (dx,)


def concat_vjp(g, *xs, axis=0):
    grads = []
    start = 0
    g = np.moveaxis(g, axis, 0)
    for x in xs:
        stop = start + x.shape[axis]
        grads.append(np.moveaxis(g[start:stop], 0, axis))
        start = stop
    return tuple(grads)


def repeat_vjp(g, x, *, n, axis):
    g = np.moveaxis(g, axis, 0)
    total = sum(g[i::n] for i in range(n))
    return (np.moveaxis(total, 0, axis),)


def cumsum_vjp(g, x, *, axis):
    return (np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis),)
