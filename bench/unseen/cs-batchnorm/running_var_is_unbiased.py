# Held out. Mistake: the running variance is updated with the unbiased variance (divided by N - 1) of the minibatch, so it is too large by N/(N-1), and nan for one example.
import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    mode = bn_param["mode"]
    eps = bn_param.get("eps", 1e-5)
    momentum = bn_param.get("momentum", 0.9)
    running_mean = bn_param.get("running_mean", np.zeros(x.shape[1]))
    running_var = bn_param.get("running_var", np.zeros(x.shape[1]))

    if mode == "test":
        xhat = (x - running_mean) / np.sqrt(running_var + eps)
        return gamma * xhat + beta, None

    mean = x.mean(axis=0)
    var = x.var(axis=0)
    istd = 1 / np.sqrt(var + eps)
    xhat = (x - mean) * istd
    bn_param["running_mean"] = momentum * running_mean + (1 - momentum) * mean
    bn_param["running_var"] = momentum * running_var + (1 - momentum) * x.var(axis=0, ddof=1)
    return gamma * xhat + beta, (xhat, istd, gamma)


def batchnorm_backward(dout, cache):
    xhat, istd, gamma = cache
    dgamma = (dout * xhat).sum(axis=0)
    dbeta = dout.sum(axis=0)
    dxhat = dout * gamma
    dx = istd * (dxhat - dxhat.mean(axis=0) - xhat * (dxhat * xhat).mean(axis=0))
    return dx, dgamma, dbeta
