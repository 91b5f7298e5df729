# Held out. Mistake: in evaluation mode dgamma is computed from x normalised with the statistics of the batch instead of the running statistics, so dgamma does not belong to the function that the forward pass evaluates.
import numpy as np


def _axes(x):
    return (0,) + tuple(range(2, x.ndim))


def _c(a, x):
    return a.reshape((1, -1) + (1,) * (x.ndim - 2))


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    if training:
        ax = _axes(x)
        m = x.mean(axis=ax)
        v = ((x - _c(m, x)) ** 2).mean(axis=ax)
        count = x.size // x.shape[1]
        new_mean = (1 - momentum) * running_mean + momentum * m
        new_var = (1 - momentum) * running_var + momentum * v * count / (count - 1)
    else:
        m, v = running_mean, running_var
        new_mean, new_var = running_mean.copy(), running_var.copy()
    y = _c(gamma, x) * (x - _c(m, x)) / np.sqrt(_c(v, x) + eps) + _c(beta, x)
    return y, new_mean, new_var


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    ax = _axes(x)
    m = x.mean(axis=ax, keepdims=True)
    v = ((x - m) ** 2).mean(axis=ax, keepdims=True)
    xhat = (x - m) / np.sqrt(v + eps)
    dgamma = (g * xhat).sum(axis=ax)
    dbeta = g.sum(axis=ax)
    dxhat = g * _c(gamma, x)
    if training:
        dx = dxhat - dxhat.mean(axis=ax, keepdims=True) - xhat * (dxhat * xhat).mean(axis=ax, keepdims=True)
        dx = dx / np.sqrt(v + eps)
    else:
        dx = dxhat / np.sqrt(_c(running_var, x) + eps)
    return dx, dgamma, dbeta
