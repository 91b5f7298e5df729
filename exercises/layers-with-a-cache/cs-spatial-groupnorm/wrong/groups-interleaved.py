"""The group is the last part of the channel."""

import numpy as np


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    eps = gn_param.get("eps", 1e-5)
    N, C, H, W = x.shape
    x_group = x.reshape(N, C // G, G, H, W).transpose(0, 2, 1, 3, 4)
    mean = np.mean(x_group, axis=(2, 3, 4), keepdims=True)
    var = np.var(x_group, axis=(2, 3, 4), keepdims=True)
    std = np.sqrt(var + eps)
    x_norm = ((x_group - mean) / std).transpose(0, 2, 1, 3, 4).reshape(N, C, H, W)
    out = gamma * x_norm + beta
    cache = (G, x, x_norm, std, gamma)
    return out, cache


def spatial_groupnorm_backward(dout, cache):
    G, x, x_norm, std, gamma = cache
    N, C, H, W = dout.shape
    m = C // G * H * W
    dbeta = np.sum(dout, axis=(0, 2, 3), keepdims=True)
    dgamma = np.sum(dout * x_norm, axis=(0, 2, 3), keepdims=True)
    dx_norm = (dout * gamma).reshape(N, C // G, G, H, W).transpose(0, 2, 1, 3, 4)
    z = x_norm.reshape(N, C // G, G, H, W).transpose(0, 2, 1, 3, 4)
    total = np.sum(dx_norm, axis=(2, 3, 4), keepdims=True)
    along = np.sum(dx_norm * z, axis=(2, 3, 4), keepdims=True)
    dx = (m * dx_norm - total - z * along) / (m * std)
    return dx.transpose(0, 2, 1, 3, 4).reshape(N, C, H, W), dgamma, dbeta
