"""One matrix after the other. Cholesky goes back through the loop that computes the factor, entry by entry."""

import numpy as np


def each(function, g, a):
    da = np.empty(a.shape)
    for place in np.ndindex(a.shape[:-2]):
        da[place] = function(g[place], a[place])
    return (da,)


def inv_one(g, a):
    half = np.linalg.solve(a.T, g)  # a^-T g
    return -np.linalg.solve(a, half.T).T


def logabsdet_one(g, a):
    return g * np.linalg.solve(a.T, np.eye(len(a)))


def cholesky_one(g, a):
    n = len(a)
    c = np.linalg.cholesky(a)
    dc = np.tril(g)
    da = np.zeros((n, n))
    for i in reversed(range(n)):
        for j in reversed(range(i + 1)):
            if i == j:  # c[i, i] = sqrt(a[i, i] - sum of squares)
                rest = dc[i, i] / (2 * c[i, i])
                dc[i, :i] -= 2 * rest * c[i, :i]
            else:  # c[i, j] = (a[i, j] - dot product) / c[j, j]
                rest = dc[i, j] / c[j, j]
                dc[j, j] -= rest * c[i, j]
                dc[i, :j] -= rest * c[j, :j]
                dc[j, :j] -= rest * c[i, :j]
            da[i, j] += rest / 2
            da[j, i] += rest / 2
    return da


def inv_vjp(g, a):
    return each(inv_one, g, a)


def logabsdet_vjp(g, a):
    return each(logabsdet_one, g, a)


def cholesky_vjp(g, a):
    return each(cholesky_one, g, a)


def solve_vjp(g, a, b):
    batch = g.shape[:-2]
    da, db = np.zeros(a.shape), np.zeros(b.shape)
    for place in np.ndindex(*batch):
        one, two = (index_in(values.shape[:-2], place) for values in (a, b))
        back = np.linalg.solve(a[one].T, g[place])
        db[two] += back
        da[one] -= back @ np.linalg.solve(a[one], b[two]).T
    return da, db


def index_in(axes, place):
    place = place[len(place) - len(axes) :]
    return tuple(0 if size == 1 else entry for size, entry in zip(axes, place))
