"""The output channels are dealt out to the groups in turn (o modulo groups) and not in consecutive blocks."""

import numpy as np


def output_size(n, k, stride, padding, dilation):
    return (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    co, cg, kh, kw = w.shape
    ho = output_size(x.shape[2], kh, stride, padding, dilation)
    wo = output_size(x.shape[3], kw, stride, padding, dilation)
    xp = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2))
    z = np.zeros((x.shape[0], co, ho, wo))
    for o in range(co):
        first = (o % groups) * cg
        for i in range(ho):
            for j in range(wo):
                r, c = i * stride, j * stride
                window = xp[
                    :, first : first + cg, r : r + dilation * (kh - 1) + 1 : dilation, c : c + dilation * (kw - 1) + 1 : dilation
                ]
                z[:, o, i, j] = (window * w[o]).sum(axis=(1, 2, 3)) + b[o]
    return z


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    co, cg, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2))
    dxp, dw = np.zeros_like(xp), np.zeros(w.shape)
    for o in range(co):
        first = (o % groups) * cg
        for i in range(g.shape[2]):
            for j in range(g.shape[3]):
                r, c = i * stride, j * stride
                place = (
                    slice(None),
                    slice(first, first + cg),
                    slice(r, r + dilation * (kh - 1) + 1, dilation),
                    slice(c, c + dilation * (kw - 1) + 1, dilation),
                )
                up = g[:, o, i, j][:, None, None, None]
                dxp[place] += up * w[o]
                dw[o] += (up * xp[place]).sum(axis=0)
    dx = dxp[:, :, padding : padding + x.shape[2], padding : padding + x.shape[3]]
    return dx, dw, g.sum(axis=(0, 2, 3))
