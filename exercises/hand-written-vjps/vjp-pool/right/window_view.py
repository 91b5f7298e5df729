"""All windows at once as a view of the padded image, and a scatter with add.at."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def prepare(x, fill, kernel, stride, padding):
    (ph, pw), (sh, sw) = padding, stride
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=fill)
    return sliding_window_view(padded, kernel, axis=(2, 3))[:, :, ::sh, ::sw]


def inside(x, kernel, stride, padding):
    return prepare(np.ones((1, 1) + x.shape[2:]), 0.0, kernel, stride, padding)


def numbers_of_entries(x, kernel, stride, padding):
    """For every window the flat positions of its entries in one image; -1 is padding."""
    h, w = x.shape[2:]
    return prepare(np.arange(h * w).reshape(1, 1, h, w), -1, kernel, stride, padding)


def max_pool2d(x, *, kernel, stride, padding):
    return prepare(x, -np.inf, kernel, stride, padding).max(axis=(-2, -1))


def scatter(amount, positions, shape):
    out = np.zeros((shape[0], shape[1], shape[2] * shape[3] + 1))
    n, c = np.ogrid[: shape[0], : shape[1]]
    extra = (1,) * (positions.ndim - 2)
    np.add.at(out, (n.reshape(n.shape + extra), c.reshape(c.shape + extra), positions), amount)
    return out[:, :, :-1].reshape(shape)


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    views = prepare(x, -np.inf, kernel, stride, padding)
    real = inside(x, kernel, stride, padding) > 0
    candidates = (views == views.max(axis=(-2, -1), keepdims=True)) & real
    flat = candidates.reshape(candidates.shape[:4] + (kernel[0] * kernel[1],))
    first = flat.argmax(axis=-1)
    where = numbers_of_entries(x, kernel, stride, padding)
    where = where.reshape(where.shape[:4] + (kernel[0] * kernel[1],))
    where = np.broadcast_to(where, flat.shape)
    positions = np.take_along_axis(where, first[..., None], axis=-1)[..., 0]
    return (scatter(g, positions, x.shape),)


def divisor(x, kernel, stride, padding, count_padding):
    if count_padding:
        return float(kernel[0] * kernel[1])
    return inside(x, kernel, stride, padding).sum(axis=(-2, -1))


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    total = prepare(x, 0.0, kernel, stride, padding).sum(axis=(-2, -1))
    return total / divisor(x, kernel, stride, padding, count_padding)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    share = (g / divisor(x, kernel, stride, padding, count_padding))[..., None, None]
    where = numbers_of_entries(x, kernel, stride, padding)
    where = np.broadcast_to(where, g.shape + tuple(kernel))
    return (scatter(share, where, x.shape),)
