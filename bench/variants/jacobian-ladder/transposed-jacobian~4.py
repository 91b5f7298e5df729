"""One row for each input of the convolution."""

import numpy as np


def transpose_jacobian(x):
    m, n = x.shape
    J = np.zeros((m * n, m * n))
    for i in range(m):
        for j in range(n):
            J[j * m + i, i * n + j] = 1.0
    return J


def running_mean_jacobian(x):
    n = len(x)
    J = np.zeros((n, n))
    for k in range(n):
        J[k, : k + 1] = 1.0 / (k + 1)
    return J


def sort_jacobian(x):
    order = np.argsort(x, kind="stable")
    J = np.zeros((len(x), len(x)))
    J[np.arange(len(x)), order] = 1.0
    return J


def convolve_jacobian(x, *, w):
    return np.array([np.convolve(e, w) for e in np.eye(len(x))])


def transpose_vjp(g, x):
    return (g.T.copy(),)


def running_mean_vjp(g, x):
    share = g / np.arange(1, len(x) + 1)
    return (np.cumsum(share[::-1])[::-1],)


def sort_vjp(g, x):
    order = np.argsort(x, kind="stable")
    dx = np.zeros(len(x))
    dx[order] = g
    return (dx,)


def convolve_vjp(g, x, *, w):
    dx = np.zeros(len(x))
    for j in range(len(w)):
        dx += w[j] * g[j : j + len(x)]
    return (dx,)
