"""Every output looks for its value, and finds the first entry with it."""

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
    y = np.sort(x)
    J = np.zeros((len(x), len(x)))
    for k in range(len(x)):
        J[k, list(x).index(y[k])] = 1.0
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
    dx = np.zeros(len(x))
    first = {}
    for i, value in enumerate(x.tolist()):
        first.setdefault(value, i)
    for k, value in enumerate(np.sort(x).tolist()):
        dx[first[value]] += g[k]
    return (dx,)


def convolve_vjp(g, x, *, w):
    dx = np.zeros(len(x))
    for j in range(len(w)):
        dx += w[j] * g[j : j + len(x)]
    return (dx,)
