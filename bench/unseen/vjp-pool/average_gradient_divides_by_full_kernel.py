# Held out. Mistake: avg_pool2d_vjp always divides by the size of the kernel, so with count_padding=False windows at the border send back too little.
# True: padding-always-counted
import numpy as np


def _windows(x, kernel, stride, padding):
    """(i, j, rows, columns) of every window, cut to the image."""
    H, W = x.shape[2:]
    (kh, kw), (sh, sw), (ph, pw) = kernel, stride, padding
    for i in range((H + 2 * ph - kh) // sh + 1):
        for j in range((W + 2 * pw - kw) // sw + 1):
            r, c = i * sh - ph, j * sw - pw
            yield i, j, slice(max(r, 0), min(r + kh, H)), slice(max(c, 0), min(c + kw, W))


def _empty(x, kernel, stride, padding):
    n, ch, H, W = x.shape
    oh = (H + 2 * padding[0] - kernel[0]) // stride[0] + 1
    ow = (W + 2 * padding[1] - kernel[1]) // stride[1] + 1
    return np.zeros((n, ch, oh, ow))


def max_pool2d(x, *, kernel, stride, padding):
    out = _empty(x, kernel, stride, padding)
    for i, j, r, c in _windows(x, kernel, stride, padding):
        out[:, :, i, j] = x[:, :, r, c].max(axis=(2, 3))
    return out


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    dx = np.zeros(x.shape)
    N, C = x.shape[:2]
    n, ch = np.arange(N)[:, None], np.arange(C)[None, :]
    for i, j, r, c in _windows(x, kernel, stride, padding):
        win = x[:, :, r, c]
        h, w = win.shape[2:]
        k = win.reshape(N, C, h * w).argmax(axis=2)
        dx[n, ch, r.start + k // w, c.start + k % w] += g[:, :, i, j]
    return (dx,)


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    out = _empty(x, kernel, stride, padding)
    for i, j, r, c in _windows(x, kernel, stride, padding):
        win = x[:, :, r, c]
        div = kernel[0] * kernel[1] if count_padding else win.shape[2] * win.shape[3]
        out[:, :, i, j] = win.sum(axis=(2, 3)) / div
    return out


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    dx = np.zeros(x.shape)
    share = g / (kernel[0] * kernel[1])
    for i, j, r, c in _windows(x, kernel, stride, padding):
        dx[:, :, r, c] += share[:, :, i, j][:, :, None, None]
    return (dx,)
