"""The gradient of the kernel adds up pixels without the upstream gradient."""

import numpy as np


def taps(x, a, e, rows, cols, stride, dilation):
    """The pixels under entry (a, e) of the kernel, as a view."""
    top, left = a * dilation, e * dilation
    return x[..., top:top + (rows - 1) * stride + 1:stride, left:left + (cols - 1) * stride + 1:stride]


def split(t, groups, axis):
    return np.split(t, groups, axis=axis)


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    kh, kw = w.shape[2:]
    xp = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    rows = (xp.shape[2] - dilation * (kh - 1) - 1) // stride + 1
    cols = (xp.shape[3] - dilation * (kw - 1) - 1) // stride + 1
    blocks = []
    for xs, ws in zip(split(xp, groups, 1), split(w, groups, 0)):
        z = 0
        for a in range(kh):
            for e in range(kw):
                z = z + np.einsum("nchw,oc->nohw", taps(xs, a, e, rows, cols, stride, dilation), ws[:, :, a, e])
        blocks.append(z)
    return np.concatenate(blocks, axis=1) + b.reshape(1, -1, 1, 1)


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    H, W = x.shape[2:]
    kh, kw = w.shape[2:]
    rows, cols = g.shape[2:]
    xp = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    dxp, dw = [], []
    for xs, ws, gs in zip(split(xp, groups, 1), split(w, groups, 0), split(g, groups, 1)):
        dxs, dws = np.zeros(xs.shape), np.zeros(ws.shape)
        for a in range(kh):
            for e in range(kw):
                pixels = taps(xs, a, e, rows, cols, stride, dilation)
                dws[:, :, a, e] = pixels.sum(axis=(0, 2, 3))
                back = taps(dxs, a, e, rows, cols, stride, dilation)
                back += np.einsum("nohw,oc->nchw", gs, ws[:, :, a, e])
        dxp.append(dxs)
        dw.append(dws)
    dxp = np.concatenate(dxp, axis=1)
    dx = dxp[:, :, padding:padding + H, padding:padding + W]
    return dx, np.concatenate(dw), g.sum(axis=(0, 2, 3))
