"""The gradient of the shift is not summed."""

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    mode = bn_param["mode"]
    eps = bn_param.get("eps", 1e-5)
    momentum = bn_param.get("momentum", 0.9)

    N, D = x.shape
    running_mean = bn_param.get("running_mean", np.zeros(D, dtype=x.dtype))
    running_var = bn_param.get("running_var", np.zeros(D, dtype=x.dtype))

    out, cache = None, None
    if mode == "train":
        mu = np.mean(x, axis=0)
        xc = x - mu
        var = np.mean(xc**2, axis=0)
        std = np.sqrt(var + eps)
        x_norm = xc / std
        out = gamma * x_norm + beta
        running_mean = momentum * running_mean + (1 - momentum) * mu
        running_var = momentum * running_var + (1 - momentum) * var
        cache = (x, xc, x_norm, std, gamma)
    elif mode == "test":
        x_norm = (x - running_mean) / np.sqrt(running_var + eps)
        out = gamma * x_norm + beta
    else:
        raise ValueError('Invalid forward batchnorm mode "%s"' % mode)

    bn_param["running_mean"] = running_mean
    bn_param["running_var"] = running_var
    return out, cache


def batchnorm_backward(dout, cache):
    x, xc, x_norm, std, gamma = cache
    N = x.shape[0]
    dbeta = dout.copy()
    dgamma = np.sum(dout * x_norm, axis=0)
    dx_norm = dout * gamma
    dxc = dx_norm / std
    dstd = -np.sum(dx_norm * xc, axis=0) / std**2
    dvar = 0.5 * dstd / std
    dxc = dxc + 2.0 / N * xc * dvar
    dmu = np.sum(dxc, axis=0)
    dx = dxc - dmu / N
    return dx, dgamma, dbeta
