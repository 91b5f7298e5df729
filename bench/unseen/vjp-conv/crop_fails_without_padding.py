# Held out. Mistake: the padding is cut off the gradient of the padded image with the slice p:-p, which is empty for p = 0, so without padding dx has the wrong shape.
# True: padding-not-cropped
import numpy as np


def conv2d(x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    s, p, d = stride, padding, dilation
    n, ci, _, _ = x.shape
    co, cg, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    ho = (xp.shape[2] - d * (kh - 1) - 1) // s + 1
    wo = (xp.shape[3] - d * (kw - 1) - 1) // s + 1
    xg = xp.reshape(n, groups, cg, *xp.shape[2:])
    wg = w.reshape(groups, co // groups, cg, kh, kw)
    z = np.zeros((n, groups, co // groups, ho, wo))
    for a in range(kh):
        for e in range(kw):
            part = xg[..., d * a : d * a + s * ho : s, d * e : d * e + s * wo : s][..., :ho, :wo]
            z += np.einsum("ngchw,goc->ngohw", part, wg[..., a, e])
    return z.reshape(n, co, ho, wo) + b[:, None, None]


def conv2d_vjp(g, x, w, b, *, stride=1, padding=0, dilation=1, groups=1):
    s, p, d = stride, padding, dilation
    n, ci, _, _ = x.shape
    co, cg, kh, kw = w.shape
    ho, wo = g.shape[2:]
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    xg = xp.reshape(n, groups, cg, *xp.shape[2:])
    wg = w.reshape(groups, co // groups, cg, kh, kw)
    gg = g.reshape(n, groups, co // groups, ho, wo)
    dxg = np.zeros(xg.shape)
    dwg = np.zeros(wg.shape)
    for a in range(kh):
        for e in range(kw):
            rows = slice(d * a, d * a + s * (ho - 1) + 1, s)
            cols = slice(d * e, d * e + s * (wo - 1) + 1, s)
            dwg[..., a, e] = np.einsum("ngohw,ngchw->goc", gg, xg[..., rows, cols])
            dxg[..., rows, cols] += np.einsum("ngohw,goc->ngchw", gg, wg[..., a, e])
    dx = dxg.reshape(xp.shape)[:, :, p:-p, p:-p]
    return dx, dwg.reshape(w.shape), g.sum(axis=(0, 2, 3))
