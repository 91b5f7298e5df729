"""One channel after the other, with the Jacobian of its normalisation as a matrix."""

import numpy as np


def statistics(values, mean, var, training):
    return (values.mean(), np.mean((values - values.mean()) ** 2)) if training else (mean, var)


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    y, means, variances = np.empty_like(x), running_mean.copy(), running_var.copy()
    for c in range(x.shape[1]):
        m, v = statistics(x[:, c], running_mean[c], running_var[c], training)
        y[:, c] = gamma[c] * (x[:, c] - m) / np.sqrt(v + eps) + beta[c]
        if training:
            n = x[:, c].size
            means[c] += momentum * (m - means[c])
            variances[c] += momentum * (v * n / (n - 1) - variances[c])
    return y, means, variances


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    dx, dgamma, dbeta = np.empty_like(x), np.empty_like(gamma), np.empty_like(beta)
    for c in range(x.shape[1]):
        m, v = statistics(x[:, c], running_mean[c], running_var[c], training)
        s = np.sqrt(v + eps)
        h, u = ((x[:, c] - m) / s).ravel(), g[:, c].ravel()
        jacobian = np.eye(h.size)
        if training:
            jacobian = jacobian - (1 + np.outer(h, h)) / h.size
        dx[:, c] = (gamma[c] / s * (u @ jacobian)).reshape(g[:, c].shape)
        dgamma[c], dbeta[c] = u @ h, u.sum()
    return dx, dgamma, dbeta
