"""The gradient of the input is a full correlation with the kernel as it is, but it needs the mirrored one."""

import numpy as np


def spread(t, step):
    """Zeros between the entries of the last two axes."""
    rows, cols = t.shape[2:]
    out = np.zeros(t.shape[:2] + ((rows - 1) * step + 1, (cols - 1) * step + 1))
    out[:, :, ::step, ::step] = t
    return out


def correlate(x, w):
    """A plain cross-correlation of images and kernels."""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


def edge(x, p):
    return np.pad(x, [(0, 0), (0, 0), (p, p), (p, p)])


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    xs, ws = np.split(edge(x, padding), groups, 1), np.split(spread(w, dilation), groups, 0)
    z = np.concatenate([correlate(one, two) for one, two in zip(xs, ws)], 1)
    return z[:, :, ::stride, ::stride] + b[:, None, None]


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    H, W = x.shape[2:]
    xp, wide, up = edge(x, padding), spread(w, dilation), spread(g, stride)
    kh, kw = wide.shape[2:]
    # upstream gradients for the positions that the stride has left out at the end
    up = np.pad(up, [(0, 0), (0, 0), (0, xp.shape[2] - kh + 1 - up.shape[2]), (0, xp.shape[3] - kw + 1 - up.shape[3])])
    dx, dw = [], []
    for xs, ws, gs in zip(np.split(xp, groups, 1), np.split(wide, groups, 0), np.split(up, groups, 1)):
        full = np.pad(gs, [(0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)])
        flipped = ws.swapaxes(0, 1)
        dx.append(correlate(full, flipped))
        dw.append(correlate(xs.swapaxes(0, 1), gs.swapaxes(0, 1)).swapaxes(0, 1))
    dx = np.concatenate(dx, 1)[:, :, padding:padding + H, padding:padding + W]
    dw = np.concatenate(dw, 0)[:, :, ::dilation, ::dilation]
    return dx, dw, g.sum((0, 2, 3))
