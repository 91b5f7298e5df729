"""No entry of the window is left out."""

import numpy as np


def max_pool_forward_naive(x, pool_param):
    """A running maximum over the entries of a window."""
    s = pool_param["stride"]
    h = int((x.shape[2] - pool_param["pool_height"]) / s + 1)
    w = int((x.shape[3] - pool_param["pool_width"]) / s + 1)
    out = np.full((x.shape[0], x.shape[1], h, w), -np.inf)
    where = np.zeros(out.shape)
    offsets = []
    for a in range(pool_param["pool_height"]):
        for b in range(pool_param["pool_width"]):
            entry = x[:, :, a : a + s * h : s, b : b + s * w : s]
            better = entry > out
            out = np.where(better, entry, out)
            where = np.where(better, len(offsets), where)
            offsets.append((slice(None), slice(None), slice(a, a + s * h, s), slice(b, b + s * w, s)))
    return out, {"where": where, "offsets": offsets, "shape": x.shape}


def max_pool_backward_naive(dout, cache):
    dx = np.zeros(cache["shape"])
    for number, offset in enumerate(cache["offsets"]):
        dx[offset] += dout
    return dx
