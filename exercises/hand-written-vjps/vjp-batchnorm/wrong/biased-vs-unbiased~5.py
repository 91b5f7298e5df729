"""The unbiased variance is used to normalise the batch, too, and not only for the running variance."""

import numpy as np


def statistics(x):
    axes = (0,) + tuple(range(2, x.ndim))
    return np.mean(x, axis=axes), np.var(x, axis=axes, ddof=1)


def shaped(c, x):
    return c.reshape((1, c.size) + (1,) * (x.ndim - 2))


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    if training:
        mean, var = statistics(x)
        running_mean = (1 - momentum) * running_mean + momentum * mean
        running_var = (1 - momentum) * running_var + momentum * var
    else:
        mean, var = running_mean, running_var
    x_hat = (x - shaped(mean, x)) / np.sqrt(shaped(var, x) + eps)
    return shaped(gamma, x) * x_hat + shaped(beta, x), running_mean, running_var


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    axes = (0,) + tuple(range(2, x.ndim))
    mean, var = statistics(x) if training else (running_mean, running_var)
    s = np.sqrt(shaped(var, x) + eps)
    x_hat = (x - shaped(mean, x)) / s
    dgamma = np.sum(g * x_hat, axis=axes)
    dbeta = np.sum(g, axis=axes)
    if training:
        m = x.size / x.shape[1]
        dx = shaped(gamma, x) / s * (g - shaped(dbeta, x) / m - x_hat * shaped(dgamma, x) / (m - 1))
    else:
        dx = g * shaped(gamma, x) / s
    return dx, dgamma, dbeta
