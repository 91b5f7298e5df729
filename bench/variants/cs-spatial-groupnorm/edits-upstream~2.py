"""The gradients of the groups are written into the upstream gradient."""

import numpy as np


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    eps = gn_param["eps"] if "eps" in gn_param else 1e-5
    hat, groups = np.empty(x.shape), []
    for n, image in enumerate(x):
        start = 0
        for part in np.split(image, G):
            own = np.s_[n, start : start + len(part)]
            r = (part.var() + eps) ** -0.5
            hat[own] = (part - part.mean()) * r
            groups.append((own, r))
            start += len(part)
    return hat * gamma + beta, {"hat": hat, "groups": groups, "gamma": gamma}


def spatial_groupnorm_backward(dout, cache):
    g, dx = dout * cache["gamma"], np.empty(dout.shape)
    for own, r in cache["groups"]:
        h = cache["hat"][own]
        dx[own] = r * (g[own] - np.mean(g[own]) - h * np.mean(g[own] * h))
    channels = dout.shape[1]
    dgamma = np.einsum("nchw,nchw->c", dout, cache["hat"]).reshape(1, channels, 1, 1)
    dbeta = np.einsum("nchw->c", dout).reshape(1, channels, 1, 1)
    dout[...] = dx
    return [dx, dgamma, dbeta]


def conv_forward_naive(x, w, b, conv_param):
    raise NotImplementedError
