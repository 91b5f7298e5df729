"""The gradients of the parameters are rows."""

import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    eps = ln_param.get("eps", 1e-5)
    mu = np.mean(x, axis=1, keepdims=True)
    xc = x - mu
    var = np.mean(xc**2, axis=1, keepdims=True)
    std = np.sqrt(var + eps)
    x_norm = xc / std
    out = gamma * x_norm + beta
    cache = (x, xc, x_norm, std, gamma)
    return out, cache


def layernorm_backward(dout, cache):
    x, xc, x_norm, std, gamma = cache
    N, D = x.shape
    dbeta = np.sum(dout, axis=0, keepdims=True)
    dgamma = np.sum(dout * x_norm, axis=0, keepdims=True)
    dx_norm = dout * gamma
    dxc = dx_norm / std
    dstd = -np.sum(dx_norm * xc, axis=1, keepdims=True) / std**2
    dvar = 0.5 * dstd / std
    dxc = dxc + 2.0 / D * xc * dvar
    dmu = np.sum(dxc, axis=1, keepdims=True)
    dx = dxc - dmu / D
    return dx, dgamma, dbeta
