"""A window starts at pixel i instead of i * stride when its gradient is added."""

import numpy as np


def size_of(n, k, s, p, d):
    return (n + 2 * p - d * (k - 1) - 1) // s + 1


def window(i, j, kh, kw, s, d):
    return (
        slice(None),
        slice(None),
        slice(i * s, i * s + d * (kh - 1) + 1, d),
        slice(j * s, j * s + d * (kw - 1) + 1, d),
    )


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    N, C, H, W = x.shape
    CO, Cg, kh, kw = w.shape
    p, s, d = padding, stride, dilation
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    Ho, Wo = size_of(H, kh, s, p, d), size_of(W, kw, s, p, d)
    Og = CO // groups
    out = np.zeros((N, CO, Ho, Wo))
    for k in range(groups):
        xs, ws = xp[:, k * Cg:(k + 1) * Cg], w[k * Og:(k + 1) * Og]
        for i in range(Ho):
            for j in range(Wo):
                patch = xs[window(i, j, kh, kw, s, d)]
                out[:, k * Og:(k + 1) * Og, i, j] = np.tensordot(patch, ws, ([1, 2, 3], [1, 2, 3]))
    return out + b[None, :, None, None]


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    N, C, H, W = x.shape
    CO, Cg, kh, kw = w.shape
    p, s, d = padding, stride, dilation
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    Ho, Wo = g.shape[2:]
    Og = CO // groups
    dxp, dw = np.zeros_like(xp), np.zeros_like(w)
    for k in range(groups):
        cin, cout = slice(k * Cg, (k + 1) * Cg), slice(k * Og, (k + 1) * Og)
        xs, ws, dxs = xp[:, cin], w[cout], dxp[:, cin]
        for i in range(Ho):
            for j in range(Wo):
                up = g[:, cout, i, j]
                at = window(i, j, kh, kw, s, d)
                dw[cout] += np.tensordot(up, xs[at], (0, 0))
                dxs[window(i, j, kh, kw, 1, d)] += np.tensordot(up, ws, (1, 0))
    dx = dxp[:, :, p:p + H, p:p + W]
    db = g.sum(axis=(0, 2, 3))
    return dx, dw, db
