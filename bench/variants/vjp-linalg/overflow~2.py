"""The adjugate of each matrix, divided by its determinant."""

import numpy as np


def per_matrix(f, g, a):
    out = np.zeros_like(a, order="C")
    for i in np.ndindex(*a.shape[:-2]):
        out[i] = f(g[i], a[i])
    return (out,)


def inv_vjp(g, a):
    def one(g, a):
        z = np.linalg.inv(a).T
        return -z.dot(g).dot(z)

    return per_matrix(one, g, a)


def logabsdet_vjp(g, a):
    return per_matrix(lambda g, a: g / np.linalg.det(a) * (np.linalg.det(a) * np.linalg.inv(a).T), g, a)


def cholesky_vjp(g, a):
    def one(g, a):
        c = np.linalg.cholesky(a)
        p = np.tril(c.T @ g)
        p -= np.diag(np.diag(p)) / 2
        z = np.linalg.inv(c)
        s = z.T @ p @ z
        return (s + s.T) / 2

    return per_matrix(one, g, a)


def solve_vjp(g, a, b):
    z = np.linalg.inv(a)
    x = z @ b
    db = np.swapaxes(z, -1, -2) @ g
    da = -db @ np.swapaxes(x, -1, -2)
    for axes in range(da.ndim - a.ndim):
        da = da.sum(axis=0)
    for axes in range(db.ndim - b.ndim):
        db = db.sum(axis=0)
    da = da.sum(axis=tuple(i for i, s in enumerate(a.shape) if s == 1), keepdims=True)
    db = db.sum(axis=tuple(i for i, s in enumerate(b.shape) if s == 1), keepdims=True)
    return da, db
