"""The group is the remainder of the channel."""

import numpy as np


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    """Sums over the channels of a group as products with a matrix of zeros and ones."""
    n, c, h, w = x.shape
    together = np.kron(np.ones((c // G, c // G)), np.eye(G)) / (c // G)

    def average(a):
        return np.einsum("dc,nc->nd", together, a.mean(axis=(2, 3)))[:, :, None, None]

    centred = x - average(x)
    root = np.sqrt(average(centred * centred) + gn_param.get("eps", 1e-5))
    return gamma * (centred / root) + beta, (centred / root, root, gamma, average)


def spatial_groupnorm_backward(dout, cache):
    hat, root, gamma, average = cache
    g = dout * gamma
    dx = (g - average(g) - hat * average(g * hat)) / root
    return dx, (dout * hat).sum((0, 2, 3), keepdims=True), dout.sum((0, 2, 3), keepdims=True)
