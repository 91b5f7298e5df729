"""Nothing remembers that a window already has a winner."""

import numpy as np


def pad(x, padding, value):
    ph, pw = padding
    return np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=value)


def crop(xp, x, padding):
    ph, pw = padding
    return xp[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]


def grids(xp, kernel, stride):
    """One slice for each entry of the kernel."""
    (kh, kw), (sh, sw) = kernel, stride
    rows, cols = (xp.shape[2] - kh) // sh + 1, (xp.shape[3] - kw) // sw + 1
    for a in range(kh):
        for b in range(kw):
            yield np.s_[:, :, a : a + sh * (rows - 1) + 1 : sh, b : b + sw * (cols - 1) + 1 : sw]


def max_pool2d(x, *, kernel, stride, padding):
    xp = pad(x, padding, -np.inf)
    return np.max([xp[grid] for grid in grids(xp, kernel, stride)], axis=0)


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    z = max_pool2d(x, kernel=kernel, stride=stride, padding=padding)
    xp, real = pad(x, padding, -np.inf), pad(np.ones(x.shape), padding, 0.0) > 0
    dxp = np.zeros(xp.shape)
    for grid in grids(xp, kernel, stride):
        wins = (xp[grid] == z) & real[grid]
        dxp[grid] += wins * g
    return (crop(dxp, x, padding),)


def counts(x, kernel, stride, padding, count_padding):
    if count_padding:
        return kernel[0] * kernel[1]
    real = pad(np.ones(x.shape), padding, 0.0)
    return sum(real[grid] for grid in grids(real, kernel, stride))


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    xp = pad(x, padding, 0.0)
    total = sum(xp[grid] for grid in grids(xp, kernel, stride))
    return total / counts(x, kernel, stride, padding, count_padding)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    share = g / counts(x, kernel, stride, padding, count_padding)
    dxp = np.zeros(pad(x, padding, 0.0).shape)
    for grid in grids(dxp, kernel, stride):
        dxp[grid] += share
    return (crop(dxp, x, padding),)
