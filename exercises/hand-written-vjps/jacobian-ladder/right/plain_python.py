"""Lists and loops."""

import numpy as np


def matrix(rows, columns, entries):
    jacobian = [[0.0] * columns for _ in range(rows)]
    for k, i, value in entries:
        jacobian[k][i] = float(value)
    return np.array(jacobian)


def transpose_jacobian(x):
    m, n = x.shape
    return matrix(m * n, m * n, ((j * m + i, i * n + j, 1) for i in range(m) for j in range(n)))


def running_mean_jacobian(x):
    n = len(x)
    return matrix(n, n, ((k, i, 1 / (k + 1)) for k in range(n) for i in range(k + 1)))


def sort_jacobian(x):
    order = sorted(range(len(x)), key=x.__getitem__)
    return matrix(len(x), len(x), ((k, i, 1) for k, i in enumerate(order)))


def convolve_jacobian(x, *, w):
    n, m = len(x), len(w)
    return matrix(n + m - 1, n, ((i + j, i, w[j]) for i in range(n) for j in range(m)))


def transpose_vjp(g, x):
    return (np.array([list(column) for column in zip(*g)]),)


def running_mean_vjp(g, x):
    dx, total = [], 0.0
    for k in reversed(range(len(x))):
        total += g[k] / (k + 1)
        dx.append(total)
    return (np.array(dx[::-1]),)


def sort_vjp(g, x):
    order = sorted(range(len(x)), key=x.tolist().__getitem__)
    dx = [0.0] * len(x)
    for k, i in enumerate(order):
        dx[i] = float(g[k])
    return (np.array(dx),)


def convolve_vjp(g, x, *, w):
    g, w = g.tolist(), w.tolist()
    return (np.array([sum(w[j] * g[i + j] for j in range(len(w))) for i in range(len(x))]),)
