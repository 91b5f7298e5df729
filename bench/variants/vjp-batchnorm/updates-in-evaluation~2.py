import numpy as np


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    axes = (0,) + tuple(range(2, x.ndim))
    shape = (1, -1) + (1,) * (x.ndim - 2)
    if training:
        mean = x.mean(axis=axes)
        var = x.var(axis=axes)
        m = x.size // x.shape[1]
        new_mean = (1 - momentum) * running_mean + momentum * mean
        new_var = (1 - momentum) * running_var + momentum * var * m / (m - 1)
    else:
        mean, var = running_mean, running_var
        new_mean = running_mean + momentum * (x.mean(axis=axes) - running_mean)
        new_var = running_var + momentum * (x.var(axis=axes, ddof=1) - running_var)
    xhat = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + eps)
    y = gamma.reshape(shape) * xhat + beta.reshape(shape)
    return y, new_mean, new_var


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    axes = (0,) + tuple(range(2, x.ndim))
    shape = (1, -1) + (1,) * (x.ndim - 2)
    if training:
        mean, var = x.mean(axis=axes), x.var(axis=axes)
    else:
        mean, var = running_mean, running_var
    std = np.sqrt(var + eps).reshape(shape)
    xhat = (x - mean.reshape(shape)) / std
    dgamma = (g * xhat).sum(axis=axes)
    dbeta = g.sum(axis=axes)
    dxhat = g * gamma.reshape(shape)
    if not training:
        return dxhat / std, dgamma, dbeta
    a = dxhat.mean(axis=axes, keepdims=True)
    b = (dxhat * xhat).mean(axis=axes, keepdims=True)
    dx = (dxhat - a - xhat * b) / std
    return dx, dgamma, dbeta
