# Held out. Mistake: the step through std = sqrt(var + eps) uses 0.5 / (var + eps) instead of 0.5 / sqrt(var + eps), so the path through the variance has the wrong size.
import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    eps = bn_param.get("eps", 1e-5)
    mu = bn_param.get("momentum", 0.9)
    D = x.shape[1]
    r_mean = bn_param.get("running_mean", np.zeros(D))
    r_var = bn_param.get("running_var", np.zeros(D))
    cache = None

    if bn_param["mode"] == "train":
        N = x.shape[0]
        m = 1 / N * np.sum(x, axis=0)
        xc = x - m
        sq = xc ** 2
        v = 1 / N * np.sum(sq, axis=0)
        std = np.sqrt(v + eps)
        istd = 1 / std
        xhat = xc * istd
        out = gamma * xhat + beta
        cache = (xc, v, eps, std, istd, xhat, gamma)
        bn_param["running_mean"] = mu * r_mean + (1 - mu) * m
        bn_param["running_var"] = mu * r_var + (1 - mu) * v
    else:
        out = gamma * (x - r_mean) / np.sqrt(r_var + eps) + beta
    return out, cache


def batchnorm_backward(dout, cache):
    xc, v, eps, std, istd, xhat, gamma = cache
    N, D = dout.shape
    # out = gamma * xhat + beta
    dbeta = np.sum(dout, axis=0)
    dgamma = np.sum(dout * xhat, axis=0)
    dxhat = dout * gamma
    # xhat = xc * istd
    distd = np.sum(dxhat * xc, axis=0)
    dxc = dxhat * istd
    # istd = 1 / std
    dstd = -distd / std ** 2
    # std = sqrt(v + eps)
    dv = dstd * 0.5 / (v + eps)
    # v = mean of sq
    dsq = np.ones((N, D)) / N * dv
    # sq = xc ** 2
    dxc = dxc + 2 * xc * dsq
    # xc = x - m
    dm = -np.sum(dxc, axis=0)
    dx = dxc + dm / N
    return dx, dgamma, dbeta
