"""Plain loops. The gradient is gathered: each pixel asks every window what it sends."""

import numpy as np


def span(index, size, kernel, stride, padding):
    start = index * stride - padding
    return range(max(0, start), min(size, start + kernel))


def counts(x, kernel, stride, padding):
    return tuple((n + 2 * p - k) // s + 1 for n, k, s, p in zip(x.shape[2:], kernel, stride, padding))


def box(x, i, j, kernel, stride, padding):
    h, w = x.shape[2:]
    return [
        (r, q)
        for r in span(i, h, kernel[0], stride[0], padding[0])
        for q in span(j, w, kernel[1], stride[1], padding[1])
    ]


def pool(x, kernel, stride, padding, reduce):
    rows, columns = counts(x, kernel, stride, padding)
    z = np.empty(x.shape[:2] + (rows, columns))
    for i in range(rows):
        for j in range(columns):
            r, q = zip(*box(x, i, j, kernel, stride, padding))
            z[:, :, i, j] = reduce(x[:, :, list(r), list(q)])
    return z


def max_pool2d(x, *, kernel, stride, padding):
    return pool(x, kernel, stride, padding, lambda values: values.max(axis=2))


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    def mean(values):
        return values.sum(axis=2) / (kernel[0] * kernel[1] if count_padding else values.shape[2])

    return pool(x, kernel, stride, padding, mean)


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    rows, columns = counts(x, kernel, stride, padding)
    dx = np.zeros(x.shape)
    for i in range(rows):
        for j in range(columns):
            places = box(x, i, j, kernel, stride, padding)
            for n in range(x.shape[0]):
                for c in range(x.shape[1]):
                    dx[(n, c) + max(places, key=lambda place: x[(n, c) + place])] += g[n, c, i, j]
    return (dx,)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    rows, columns = counts(x, kernel, stride, padding)
    dx = np.zeros(x.shape)
    boxes = {(i, j): box(x, i, j, kernel, stride, padding) for i in range(rows) for j in range(columns)}
    for r in range(x.shape[2]):
        for q in range(x.shape[3]):
            for (i, j), places in boxes.items():
                if (r, q) in places:
                    dx[:, :, r, q] += g[:, :, i, j] / (kernel[0] * kernel[1] if count_padding else len(places))
    return (dx,)
