"""A dense permutation."""

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
    n, m = len(x), len(w)
    J = np.zeros((n + m - 1, n))
    for k in range(n + m - 1):
        for i in range(n):
            if 0 <= k - i < m:
                J[k, i] = w[k - i]
    return J


def transpose_vjp(g, x):
    return (g.T.copy(),)


def running_mean_vjp(g, x):
    share = g / np.arange(1, len(x) + 1)
    return (np.cumsum(share[::-1])[::-1],)


def sort_vjp(g, x):
    return (g @ np.eye(len(x))[np.argsort(x, kind="stable")],)


def convolve_vjp(g, x, *, w):
    dx = np.zeros(len(x))
    for j in range(len(w)):
        dx += w[j] * g[j : j + len(x)]
    return (dx,)
