"""Three stages, each returns its value and a pullback. The backward pass calls the pullbacks in the opposite order."""

import numpy as np


def centre(x, mean):
    return x - mean, lambda g: g - g.mean(axis=0)


def shrink(z, variance, eps):
    scale = 1 / np.sqrt(variance + eps)
    unit = z * scale
    return unit, lambda g: scale * (g - unit * (g * unit).mean(axis=0))


def stretch(unit, gamma, beta):
    return gamma * unit + beta, lambda g: (gamma * g, (g * unit).sum(axis=0), g.sum(axis=0))


def batchnorm_forward(x, gamma, beta, bn_param):
    if bn_param["mode"] == "train":
        mean, variance = x.mean(axis=0), x.var(axis=0)
        momentum = bn_param.get("momentum", 0.9)
        for key, statistic in {"running_mean": mean, "running_var": variance}.items():
            bn_param[key] = momentum * bn_param.get(key, 0.0) + (1 - momentum) * statistic
    else:
        mean, variance = bn_param["running_mean"], bn_param["running_var"]
    z, centre_back = centre(x, mean)
    unit, shrink_back = shrink(z, variance, bn_param.get("eps", 1e-5))
    out, stretch_back = stretch(unit, gamma, beta)
    return out, (stretch_back, shrink_back, centre_back)


def batchnorm_backward(dout, cache):
    stretch_back, shrink_back, centre_back = cache
    dunit, dgamma, dbeta = stretch_back(dout)
    return centre_back(shrink_back(dunit)), dgamma, dbeta
