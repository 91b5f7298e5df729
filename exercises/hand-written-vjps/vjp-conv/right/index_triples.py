"""A list of all products: which pixel, which weight, which entry. The padding is a pixel of its own, number -1."""

import numpy as np


def triples(x, w, stride, padding, dilation, groups):
    n, ci, h, wd = x.shape
    o, c, kh, kw = w.shape
    rows = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1
    cols = (wd + 2 * padding - dilation * (kw - 1) - 1) // stride + 1
    shape = (n, o, rows, cols, c, kh, kw)
    image, out, i, j, cin, a, e = np.ogrid[tuple(map(slice, shape))]
    r, s = i * stride + a * dilation - padding, j * stride + e * dilation - padding
    pixel = ((image * ci + out // (o // groups) * c + cin) * h + r) * wd + s
    pixel = np.where((r >= 0) & (r < h) & (s >= 0) & (s < wd), pixel, x.size)
    weight = ((out * c + cin) * kh + a) * kw + e
    entry = ((image * o + out) * rows + i) * cols + j
    return [np.broadcast_to(t, shape).ravel() for t in (pixel, weight, entry)], (n, o, rows, cols)


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    (pixel, weight, entry), shape = triples(x, w, stride, padding, dilation, groups)
    values = np.append(x.ravel(), 0.0)
    z = np.bincount(entry, values[pixel] * w.ravel()[weight], minlength=int(np.prod(shape)))
    return z.reshape(shape) + b[:, None, None]


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    (pixel, weight, entry), _ = triples(x, w, stride, padding, dilation, groups)
    up = g.ravel()[entry]
    dx = np.bincount(pixel, up * w.ravel()[weight], minlength=x.size + 1)[:x.size]
    dw = np.bincount(weight, up * np.append(x.ravel(), 0.0)[pixel], minlength=w.size)
    return dx.reshape(x.shape), dw.reshape(w.shape), g.sum(axis=(0, 2, 3))
