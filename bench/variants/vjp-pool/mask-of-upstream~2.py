"""Only positive upstream gradients arrive at the winners."""

import numpy as np


def out_size(x, kernel, stride, padding):
    H, W = x.shape[2:]
    return (H + 2 * padding[0] - kernel[0]) // stride[0] + 1, (W + 2 * padding[1] - kernel[1]) // stride[1] + 1


def window(x, i, j, kernel, stride, padding):
    top, left = i * stride[0] - padding[0], j * stride[1] - padding[1]
    return slice(max(top, 0), top + kernel[0]), slice(max(left, 0), left + kernel[1])


def max_pool2d(x, *, kernel, stride, padding):
    rows, cols = out_size(x, kernel, stride, padding)
    z = np.zeros((*x.shape[:2], rows, cols))
    for i in range(rows):
        for j in range(cols):
            r, q = window(x, i, j, kernel, stride, padding)
            z[:, :, i, j] = x[:, :, r, q].max(axis=(2, 3))
    return z


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    N, C = x.shape[:2]
    dx = np.zeros(x.shape)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            r, q = window(x, i, j, kernel, stride, padding)
            for n in range(N):
                for c in range(C):
                    part = x[n, c, r, q]
                    a, b = divmod(int(part.argmax()), part.shape[1])
                    dx[n, c, r.start + a, q.start + b] += max(g[n, c, i, j], 0.0)
    return (dx,)


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    rows, cols = out_size(x, kernel, stride, padding)
    z = np.zeros((*x.shape[:2], rows, cols))
    for i in range(rows):
        for j in range(cols):
            r, q = window(x, i, j, kernel, stride, padding)
            part = x[:, :, r, q]
            count = kernel[0] * kernel[1] if count_padding else part.shape[2] * part.shape[3]
            z[:, :, i, j] = part.sum(axis=(2, 3)) / count
    return z


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    dx = np.zeros(x.shape)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            r, q = window(x, i, j, kernel, stride, padding)
            part = x[:, :, r, q]
            count = kernel[0] * kernel[1] if count_padding else part.shape[2] * part.shape[3]
            dx[:, :, r, q] += g[:, :, i, j, None, None] / count
    return (dx,)
