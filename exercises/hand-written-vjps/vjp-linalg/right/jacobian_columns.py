"""The whole Jacobian: the change of the result for a unit change of each entry, from the differentials of the statement."""

import numpy as np


def units(n, m):
    """All matrices with a single 1, along one leading axis."""
    return np.eye(n * m).reshape(n * m, n, m)


def weighted(g, changes):
    """The dot product of g and each of the changes, as a matrix."""
    return lambda shape: (g[..., None, :, :] * changes).sum(axis=(-1, -2)).reshape(shape)


def inv_vjp(g, a):
    n = a.shape[-1]
    z = np.linalg.inv(a)[..., None, :, :]
    return (weighted(g, -z @ units(n, n) @ z)(a.shape),)


def logabsdet_vjp(g, a):
    n = a.shape[-1]
    trace = np.trace(np.linalg.inv(a)[..., None, :, :] @ units(n, n), axis1=-2, axis2=-1).reshape(a.shape)
    return (trace * g.reshape(*g.shape, 1, 1),)


def cholesky_vjp(g, a):
    n = a.shape[-1]
    steps = units(n, n)
    steps = (steps + np.swapaxes(steps, -1, -2)) / 2
    c = np.linalg.cholesky(a)[..., None, :, :]
    inner = np.linalg.solve(c, np.swapaxes(np.linalg.solve(c, steps), -1, -2))
    inner[..., np.arange(n), np.arange(n)] /= 2
    return (weighted(g, c @ np.tril(inner))(a.shape),)


def solve_vjp(g, a, b):
    n, k = b.shape[-2:]
    full_a = np.broadcast_to(a, (*g.shape[:-2], n, n))
    full_b = np.broadcast_to(b, g.shape)
    x = np.linalg.solve(full_a, full_b)[..., None, :, :]
    of_a = weighted(g, np.linalg.solve(full_a[..., None, :, :], -units(n, n) @ x))(full_a.shape)
    of_b = weighted(g, np.linalg.solve(full_a[..., None, :, :], units(n, k)))(full_b.shape)
    return folded(of_a, a.shape), folded(of_b, b.shape)


def folded(full, shape):
    total = np.zeros(shape)
    view = np.broadcast_to(np.arange(total.size).reshape(shape), full.shape)
    np.add.at(total.reshape(-1), view.ravel(), full.ravel())
    return total
