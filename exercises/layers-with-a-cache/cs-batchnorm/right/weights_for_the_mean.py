"""Statistics as products; other entries in the settings."""

from types import SimpleNamespace

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    """The statistics come from a product with a row of equal weights."""
    saved = SimpleNamespace(n=x.shape[0], gamma=gamma.copy())
    e = bn_param.get("eps", 1e-5)
    if bn_param["mode"] != "train":
        return gamma * (x - bn_param["running_mean"]) / np.sqrt(bn_param["running_var"] + e) + beta, saved
    w = np.full(saved.n, 1 / saved.n)
    centred = x - w @ x
    spread = w @ centred**2
    p = bn_param.get("momentum", 0.9)
    bn_param.update(
        running_mean=p * bn_param.get("running_mean", 0.0) + (1 - p) * (w @ x),
        running_var=p * bn_param.get("running_var", 0.0) + (1 - p) * spread,
        seen=saved.n,
    )
    saved.rows, saved.norm = centred, np.sqrt(spread + e)
    return gamma * (centred / saved.norm) + beta, saved


def batchnorm_backward(dout, cache):
    hat = cache.rows / cache.norm
    db, dg = np.einsum("nd->d", dout), np.einsum("nd,nd->d", dout, hat)
    dcentred = dout * cache.gamma / cache.norm
    dcentred -= cache.rows * np.einsum("nd,nd->d", dcentred, cache.rows) / (cache.n * cache.norm**2)
    return [dcentred - np.einsum("nd->d", dcentred) / cache.n, dg, db]
