"""Of equal indices in one addition, numpy keeps the last."""

import numpy as np


def out_size(x, kernel, stride, padding):
    H, W = x.shape[2:]
    return (H + 2 * padding[0] - kernel[0]) // stride[0] + 1, (W + 2 * padding[1] - kernel[1]) // stride[1] + 1


def places(x, kernel, stride, padding):
    """Rows and columns of the entries of all windows, and whether they lie in the image."""
    H, W = x.shape[2:]
    rows, cols = out_size(x, kernel, stride, padding)
    i, j, a, b = np.indices((rows, cols, *kernel)).reshape(4, rows, cols, -1)
    r, q = i * stride[0] - padding[0] + a, j * stride[1] - padding[1] + b
    real = (r >= 0) & (r < H) & (q >= 0) & (q < W)
    return np.clip(r, 0, H - 1), np.clip(q, 0, W - 1), real


def max_pool2d(x, *, kernel, stride, padding):
    r, q, real = places(x, kernel, stride, padding)
    return np.where(real, x[:, :, r, q], -np.inf).max(axis=-1)


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    r, q, real = places(x, kernel, stride, padding)
    windows = x[:, :, r, q]
    largest = max_pool2d(x, kernel=kernel, stride=stride, padding=padding)[..., None]
    first = ((windows == largest) & real).argmax(axis=-1)
    n, c, i, j = np.indices(g.shape)
    dx = np.zeros(x.shape)
    dx[n, c, r[i, j, first], q[i, j, first]] += g
    return (dx,)


def divisor(real, kernel, count_padding):
    return kernel[0] * kernel[1] if count_padding else real.sum(axis=-1)


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    r, q, real = places(x, kernel, stride, padding)
    return (x[:, :, r, q] * real).sum(axis=-1) / divisor(real, kernel, count_padding)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    r, q, real = places(x, kernel, stride, padding)
    share = (g / divisor(real, kernel, count_padding))[..., None] * real
    dx = np.zeros(x.shape)
    dx[:, :, r, q] += share
    return (dx,)
