"""An average is a product with a matrix for the rows and one for the columns. The maximum is a tournament over the kernel."""

import numpy as np


def membership(size, kernel, stride, padding):
    """A row for each window along one axis, with ones where it covers the image."""
    count = (size + 2 * padding - kernel) // stride + 1
    start = np.arange(count)[:, None] * stride - padding
    at = np.arange(size)[None, :]
    return ((at >= start) & (at < start + kernel)).astype(float)


def factors(x, kernel, stride, padding, count_padding):
    pair = [membership(x.shape[2 + k], kernel[k], stride[k], padding[k]) for k in (0, 1)]
    if count_padding:
        return [m / k for m, k in zip(pair, kernel)]
    return [m / m.sum(axis=1, keepdims=True) for m in pair]


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    rows, columns = factors(x, kernel, stride, padding, count_padding)
    return np.einsum("ir,ncrq,jq->ncij", rows, x, columns)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    rows, columns = factors(x, kernel, stride, padding, count_padding)
    return (rows.T @ g @ columns,)


def tournament(x, kernel, stride, padding):
    """The largest entry of each window, and its row and column in the image."""
    (h, w), dims = x.shape[2:], [(x.shape[2 + k] + 2 * padding[k] - kernel[k]) // stride[k] + 1 for k in (0, 1)]
    best = np.full(x.shape[:2] + tuple(dims), np.nan)
    row, column = np.zeros(best.shape, int), np.zeros(best.shape, int)
    i, j = np.indices(dims)
    for a in range(kernel[0]):
        for e in range(kernel[1]):
            r, q = i * stride[0] - padding[0] + a, j * stride[1] - padding[1] + e
            ok = (r >= 0) & (r < h) & (q >= 0) & (q < w)
            value = x[:, :, np.clip(r, 0, h - 1), np.clip(q, 0, w - 1)]
            better = ok & (np.isnan(best) | (value > best))
            best = np.where(better, value, best)
            row, column = np.where(better, r, row), np.where(better, q, column)
    return best, row, column


def max_pool2d(x, *, kernel, stride, padding):
    return tournament(x, kernel, stride, padding)[0]


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    _, row, column = tournament(x, kernel, stride, padding)
    n, c = np.indices(g.shape)[:2]
    flat = np.ravel_multi_index((n, c, row, column), x.shape) if g.size else np.zeros(0, int)
    return (np.bincount(flat.ravel(), g.ravel(), minlength=x.size).astype(float).reshape(x.shape),)
