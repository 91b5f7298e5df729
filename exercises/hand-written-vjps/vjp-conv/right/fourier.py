"""Products of Fourier transforms. The padded image is large enough that nothing wraps around."""

import numpy as np


def spaced(t, step, shape):
    """The entries at a distance of step in a field of zeros."""
    field = np.zeros(t.shape[:2] + shape)
    field[:, :, :(t.shape[2] - 1) * step + 1:step, :(t.shape[3] - 1) * step + 1:step] = t
    return np.fft.fft2(field)


def channels(w, groups, inputs):
    """The kernels with zeros for the channels of other groups."""
    out, size = w.shape[:2]
    whole = np.zeros((out, inputs, *w.shape[2:]))
    for o in range(out):
        first = o // (out // groups) * size
        whole[o, first:first + size] = w[o]
    return whole


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    p = padding
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    field = xp.shape[2:]
    kernel = spaced(channels(w, groups, x.shape[1]), dilation, field)
    z = np.fft.ifft2(np.einsum("nchw,ochw->nohw", np.fft.fft2(xp), kernel.conj())).real
    reach = [dilation * (k - 1) for k in w.shape[2:]]
    return z[:, :, :field[0] - reach[0]:stride, :field[1] - reach[1]:stride] + b[:, None, None]


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    p, (h, wd) = padding, x.shape[2:]
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    field = xp.shape[2:]
    kernel, upstream = spaced(channels(w, groups, x.shape[1]), dilation, field), spaced(g, stride, field)
    dx = np.fft.ifft2(np.einsum("nohw,ochw->nchw", upstream, kernel)).real[:, :, p:p + h, p:p + wd]
    whole = np.fft.ifft2(np.einsum("nohw,nchw->ochw", upstream.conj(), np.fft.fft2(xp))).real
    whole = whole[:, :, :dilation * (w.shape[2] - 1) + 1:dilation, :dilation * (w.shape[3] - 1) + 1:dilation]
    out, size = w.shape[:2]
    dw = np.stack([whole[o, o // (out // groups) * size:][:size] for o in range(out)])
    return dx, dw, g.sum((0, 2, 3))
