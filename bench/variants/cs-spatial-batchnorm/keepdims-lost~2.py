"""The running averages keep their axes."""

import numpy as np


def spatial_batchnorm_forward(x, gamma, beta, bn_param):
    eps = bn_param.get("eps", 1e-5)
    momentum = bn_param.get("momentum", 0.9)
    C = x.shape[1]
    g, b = gamma.reshape(1, C, 1, 1), beta.reshape(1, C, 1, 1)
    if bn_param["mode"] == "train":
        mean = x.mean(axis=(0, 2, 3), keepdims=True)
        var = x.var(axis=(0, 2, 3), keepdims=True)
        for name, new in (("running_mean", mean), ("running_var", var)):
            old = bn_param.get(name, np.zeros(C)).reshape(1, C, 1, 1)
            bn_param[name] = momentum * old + (1 - momentum) * new
    else:
        mean = bn_param["running_mean"].reshape(1, C, 1, 1)
        var = bn_param["running_var"].reshape(1, C, 1, 1)
    std = np.sqrt(var + eps)
    z = (x - mean) / std
    return g * z + b, (x, z, std, g)


def spatial_batchnorm_backward(dout, cache):
    x, z, std, g = cache
    N, C, H, W = dout.shape
    m = N * H * W
    dbeta = dout.sum(axis=(0, 2, 3))
    dgamma = (dout * z).sum(axis=(0, 2, 3))
    dx = g / std * (dout - dbeta.reshape(1, C, 1, 1) / m - z * dgamma.reshape(1, C, 1, 1) / m)
    return dx, dgamma, dbeta
