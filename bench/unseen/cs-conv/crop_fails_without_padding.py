# Held out. Mistake: the padding is cut off with [pad:-pad], which is an empty slice for pad = 0, so dx then has the wrong shape.
# True: empty-slice-without-padding
import numpy as np


def _windows(xp, kh, kw, stride, Ho, Wo):
    for i in range(Ho):
        for j in range(Wo):
            top, left = i * stride, j * stride
            yield i, j, (slice(None), slice(None), slice(top, top + kh), slice(left, left + kw))


def conv_forward_naive(x, w, b, conv_param):
    stride, pad = conv_param["stride"], conv_param["pad"]
    kh, kw = w.shape[2:]
    xp = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], mode="constant")
    Ho = (xp.shape[2] - kh) // stride + 1
    Wo = (xp.shape[3] - kw) // stride + 1
    out = np.empty((x.shape[0], w.shape[0], Ho, Wo))
    for i, j, win in _windows(xp, kh, kw, stride, Ho, Wo):
        out[:, :, i, j] = np.einsum("ncab,fcab->nf", xp[win], w) + b
    return out, (xp, w, stride, pad)


def conv_backward_naive(dout, cache):
    xp, w, stride, pad = cache
    kh, kw = w.shape[2:]
    dxp, dw = np.zeros(xp.shape), np.zeros(w.shape)
    for i, j, win in _windows(xp, kh, kw, stride, *dout.shape[2:]):
        g = dout[:, :, i, j]
        dxp[win] += np.einsum("nf,fcab->ncab", g, w)
        dw += np.einsum("nf,ncab->fcab", g, xp[win])
    return dxp[:, :, pad:-pad, pad:-pad], dw, dout.sum(axis=(0, 2, 3))
