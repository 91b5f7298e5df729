# Held out. Mistake: the gradient of the kernel reads the image at offset a instead of dilation * a, so dw is wrong whenever the dilation is larger than 1 while dx is right.
# True: dilation-ignored
import numpy as np


def grid(start, count, step):
    """The slice start, start + step, ... with count entries."""
    return slice(start, start + step * (count - 1) + 1, step)


def pad(x, p):
    n, c, h, w = x.shape
    out = np.zeros((n, c, h + 2 * p, w + 2 * p))
    out[:, :, p : p + h, p : p + w] = x
    return out


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    xp = pad(x, padding)
    kh, kw = w.shape[2:]
    rows = (xp.shape[2] - dilation * (kh - 1) - 1) // stride + 1
    cols = (xp.shape[3] - dilation * (kw - 1) - 1) // stride + 1
    z = np.zeros((x.shape[0], w.shape[0], rows, cols))
    ci, co = w.shape[1], w.shape[0] // groups
    for q in range(groups):
        these, those = slice(q * ci, (q + 1) * ci), slice(q * co, (q + 1) * co)
        for a in range(kh):
            for e in range(kw):
                window = xp[:, these, grid(a * dilation, rows, stride), grid(e * dilation, cols, stride)]
                z[:, those] += np.einsum("ncij,oc->noij", window, w[those, :, a, e])
    return z + b.reshape(1, -1, 1, 1)


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    xp = pad(x, padding)
    kh, kw = w.shape[2:]
    rows, cols = g.shape[2:]
    dxp = np.zeros_like(xp)
    dw = np.zeros(w.shape)
    ci, co = w.shape[1], w.shape[0] // groups
    for q in range(groups):
        these, those = slice(q * ci, (q + 1) * ci), slice(q * co, (q + 1) * co)
        for a in range(kh):
            for e in range(kw):
                dxp[:, these, grid(a * dilation, rows, stride), grid(e * dilation, cols, stride)] += np.einsum(
                    "noij,oc->ncij", g[:, those], w[those, :, a, e]
                )
                window = xp[:, these, grid(a, rows, stride), grid(e, cols, stride)]
                dw[those, :, a, e] = np.einsum("noij,ncij->oc", g[:, those], window)
    h, wd = x.shape[2:]
    dx = dxp[:, :, padding : padding + h, padding : padding + wd]
    return dx, dw, g.sum((0, 2, 3))
