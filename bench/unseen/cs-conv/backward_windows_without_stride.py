# Held out. Mistake: the backward pass takes its windows at (i, j) instead of (i * stride, j * stride), so dx and dw are wrong for every stride above 1.
# True: stride-ignored
import numpy as np


def conv_forward_naive(x, w, b, conv_param):
    s, p = conv_param["stride"], conv_param["pad"]
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    Ho = 1 + (H + 2 * p - kh) // s
    Wo = 1 + (W + 2 * p - kw) // s
    out = np.zeros((N, F, Ho, Wo))
    for n in range(N):
        for f in range(F):
            for i in range(Ho):
                for j in range(Wo):
                    window = xp[n, :, i * s:i * s + kh, j * s:j * s + kw]
                    out[n, f, i, j] = np.sum(window * w[f]) + b[f]
    return out, (x, w, b, conv_param)


def conv_backward_naive(dout, cache):
    x, w, b, conv_param = cache
    p = conv_param["pad"]
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    dxp = np.zeros_like(xp)
    dw = np.zeros(w.shape)
    db = np.zeros(b.shape)
    for n in range(N):
        for f in range(F):
            for i in range(dout.shape[2]):
                for j in range(dout.shape[3]):
                    d = dout[n, f, i, j]
                    dw[f] += d * xp[n, :, i:i + kh, j:j + kw]
                    dxp[n, :, i:i + kh, j:j + kw] += d * w[f]
                    db[f] += d
    return dxp[:, :, p:p + H, p:p + W], dw, db
