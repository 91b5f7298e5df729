"""The upstream gradients are summed in place for the bias."""

import numpy as np


def windows_of(shape, w, stride):
    for i in range(0, shape[2] - w.shape[2] + 1, stride):
        for j in range(0, shape[3] - w.shape[3] + 1, stride):
            yield i // stride, j // stride, np.s_[:, :, i : i + w.shape[2], j : j + w.shape[3]]


def conv_forward_naive(x, w, b, conv_param):
    s, p = conv_param["stride"], conv_param["pad"]
    n, c, h, k = x.shape
    xp = np.zeros((n, c, h + 2 * p, k + 2 * p))
    xp[:, :, p : p + h, p : p + k] = x
    out = np.zeros((n, len(w), (h + 2 * p - w.shape[2]) // s + 1, (k + 2 * p - w.shape[3]) // s + 1))
    for i, j, window in windows_of(xp.shape, w, s):
        out[:, :, i, j] = np.tensordot(xp[window], w, axes=([1, 2, 3], [1, 2, 3])) + b
    return out, {"xp": xp, "w": w, "s": s, "p": p}


def conv_backward_naive(dout, cache):
    xp, w, s, p = cache["xp"], cache["w"], cache["s"], cache["p"]
    dxp, dw, db = np.zeros(xp.shape), np.zeros(w.shape), np.zeros(w.shape[0])
    for i, j, window in windows_of(xp.shape, w, s):
        g = dout[:, :, i, j]
        dxp[window] += np.tensordot(g, w, axes=1)
        dw += np.tensordot(g.T, xp[window], axes=1)
        for image in range(1, len(g)):
            g[0] += g[image]
        db += g[0]
    h, k = xp.shape[2] - p, xp.shape[3] - p
    return dxp[:, :, p:h, p:k], dw, db
