"""A Jacobian is a list of triples (row, column, number), from which matrix and product are read off. The running mean is the
inverse of a map with a short list, so it is an inverse matrix and a back substitution."""

import numpy as np


def transpose_triples(x):
    columns = np.arange(x.size).reshape(x.shape).T.ravel()
    return np.arange(x.size), columns, np.ones(x.size)


def sort_triples(x):
    return np.arange(x.size), np.argsort(x, kind="stable"), np.ones(x.size)


def convolve_triples(x, w):
    columns, shifts = (k.ravel() for k in np.indices((x.size, w.size)))
    return columns + shifts, columns, w[shifts]


def matrix(triples, shape):
    rows, columns, numbers = triples
    J = np.zeros(shape)
    J[rows, columns] = numbers
    return J


def product(triples, g, x):
    rows, columns, numbers = triples
    return (np.bincount(columns, g.ravel()[rows] * numbers, x.size).reshape(x.shape),)


def transpose_jacobian(x):
    return matrix(transpose_triples(x), (x.size, x.size))


def running_mean_jacobian(x):
    k = np.arange(x.size)
    undo = np.diag(k + 1.0) - np.diag(k[1:] + 0.0, -1)  # x_k = (k + 1) y_k - k y_(k-1)
    return np.linalg.inv(undo)


def sort_jacobian(x):
    return matrix(sort_triples(x), (x.size, x.size))


def convolve_jacobian(x, *, w):
    return matrix(convolve_triples(x, w), (x.size + w.size - 1, x.size))


def transpose_vjp(g, x):
    return product(transpose_triples(x), g, x)


def running_mean_vjp(g, x):
    dx, later = np.empty(x.size), 0.0
    for k in reversed(range(x.size)):  # (k + 1) dx_k - (k + 1) dx_(k+1) = g_k, the transposed system
        dx[k] = later = later + g[k] / (k + 1)
    return (dx,)


def sort_vjp(g, x):
    return product(sort_triples(x), g, x)


def convolve_vjp(g, x, *, w):
    return product(convolve_triples(x, w), g, x)
