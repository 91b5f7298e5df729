"""The definition: the product with the dense matrix."""

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
    return ((transpose_jacobian(x).T @ g.ravel()).reshape(x.shape),)


def running_mean_vjp(g, x):
    return (running_mean_jacobian(x).T @ g,)


def sort_vjp(g, x):
    return (sort_jacobian(x).T @ g,)


def convolve_vjp(g, x, *, w):
    return (convolve_jacobian(x, w=w).T @ g,)
