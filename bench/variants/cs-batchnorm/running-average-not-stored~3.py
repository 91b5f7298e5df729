"""A copy of the settings is updated."""

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    bn_param = dict(bn_param)
    eps = bn_param.get("eps", 1e-5)
    momentum = bn_param.get("momentum", 0.9)
    if bn_param["mode"] == "train":
        mean, var = x.mean(axis=0), x.var(axis=0)
        for key, new in {"running_mean": mean, "running_var": var}.items():
            old = bn_param.get(key, np.zeros(x.shape[1]))
            bn_param[key] = old + (1 - momentum) * (new - old)
    else:
        mean, var = bn_param["running_mean"], bn_param["running_var"]
    inv = 1 / np.sqrt(var + eps)
    xhat = (x - mean) * inv
    return xhat * gamma + beta, dict(xhat=xhat, inv=inv, gamma=gamma)


def batchnorm_backward(dout, cache):
    xhat, inv, gamma = cache["xhat"], cache["inv"], cache["gamma"]
    m = len(dout)
    dbeta = dout.sum(axis=0)
    dgamma = (dout * xhat).sum(axis=0)
    dx = gamma * inv / m * (m * dout - dbeta - xhat * dgamma)
    return dx, dgamma, dbeta
