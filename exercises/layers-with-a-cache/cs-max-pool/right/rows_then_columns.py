"""One-dimensional pooling along the width, then along the height, and undone in the opposite order."""

import numpy as np


def starts(length, size, stride, offset):
    """The entries at one offset of all windows along an axis."""
    return slice(offset, offset + length - size + 1, stride)


def pool_last_axis(x, size, stride):
    out = x[..., starts(x.shape[-1], size, stride, 0)].copy()
    winner = np.zeros(out.shape, dtype=int)
    for offset in range(1, size):
        rival = x[..., starts(x.shape[-1], size, stride, offset)]
        winner[rival > out] = offset
        np.maximum(out, rival, out=out)
    return out, (winner, x.shape, size, stride)


def unpool_last_axis(dout, record):
    winner, shape, size, stride = record
    dx = np.zeros(shape)
    for offset in range(size):
        dx[..., starts(shape[-1], size, stride, offset)] += np.where(winner == offset, dout, 0.0)
    return dx


def max_pool_forward_naive(x, pool_param):
    stride = pool_param["stride"]
    narrow, across = pool_last_axis(x, pool_param["pool_width"], stride)
    small, down = pool_last_axis(narrow.swapaxes(2, 3), pool_param["pool_height"], stride)
    return small.swapaxes(2, 3), (across, down)


def max_pool_backward_naive(dout, cache):
    across, down = cache
    return unpool_last_axis(unpool_last_axis(dout.swapaxes(2, 3), down).swapaxes(2, 3), across)
