"""The sums of the transposed minibatch."""

import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    """Batch norm of the transposed minibatch."""
    eps = ln_param.get("eps", 1e-5)
    xt = x.T
    std = np.sqrt(xt.var(axis=0) + eps)
    xhat = (xt - xt.mean(axis=0)) / std
    return gamma * xhat.T + beta, (xhat, std, gamma)


def layernorm_backward(dout, cache):
    xhat, std, gamma = cache
    m = xhat.shape[0]
    dbeta = dout.T.sum(axis=0)
    dgamma = (dout.T * xhat).sum(axis=0)
    g = (dout * gamma).T
    dx = (m * g - g.sum(axis=0) - xhat * (g * xhat).sum(axis=0)) / (m * std)
    return dx.T, dgamma, dbeta
