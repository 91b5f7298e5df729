"""Index notation, with the derivative of relu from np.sign of the activation."""

import numpy as np


def linear_vjp(g, x, w, b):
    samples, upstream = x.reshape(-1, w.shape[1]), g.reshape(-1, len(b))
    dw = np.einsum("nk,nj->kj", upstream, samples)
    return np.einsum("...k,kj->...j", g, w), dw, np.einsum("nk->k", upstream)


def mlp_vjp(g, x, w1, b1, w2, b2):
    h = np.einsum("...j,kj->...k", x, w1) + b1
    a = (h + np.abs(h)) / 2
    da, dw2, db2 = linear_vjp(g, a, w2, b2)
    return *linear_vjp(da * np.sign(a), x, w1, b1), dw2, db2
