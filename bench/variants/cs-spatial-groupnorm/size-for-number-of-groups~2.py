"""Number and size change places."""

import numpy as np


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    eps = gn_param.get("eps", 1e-5)
    N, C, H, W = x.shape
    G = C // G
    x_group = x.reshape(N, G, C // G, H, W)
    mean = np.mean(x_group, axis=(2, 3, 4), keepdims=True)
    var = np.var(x_group, axis=(2, 3, 4), keepdims=True)
    std = np.sqrt(var + eps)
    x_norm = ((x_group - mean) / std).reshape(N, C, H, W)
    out = gamma * x_norm + beta
    cache = (G, x, x_norm, std, gamma)
    return out, cache


def spatial_groupnorm_backward(dout, cache):
    G, x, x_norm, std, gamma = cache
    N, C, H, W = dout.shape
    m = C // G * H * W
    dbeta = np.sum(dout, axis=(0, 2, 3), keepdims=True)
    dgamma = np.sum(dout * x_norm, axis=(0, 2, 3), keepdims=True)
    dx_norm = (dout * gamma).reshape(N, G, C // G, H, W)
    z = x_norm.reshape(N, G, C // G, H, W)
    total = np.sum(dx_norm, axis=(2, 3, 4), keepdims=True)
    along = np.sum(dx_norm * z, axis=(2, 3, 4), keepdims=True)
    dx = (m * dx_norm - total - z * along) / (m * std)
    return dx.reshape(N, C, H, W), dgamma, dbeta
