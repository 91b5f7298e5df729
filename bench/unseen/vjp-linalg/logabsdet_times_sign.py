# Held out. Mistake: the gradient of log|det A| is multiplied by the sign of the determinant because of the absolute value, but the sign cancels in |det A|'/|det A|, so the gradient has the wrong sign for negative determinants.
# True: sign-of-the-determinant
import numpy as np


def T(m):
    return np.swapaxes(m, -1, -2)


def inv_vjp(g, a):
    z = np.linalg.inv(a)
    return (-T(z) @ g @ T(z),)


def logabsdet_vjp(g, a):
    sign, _ = np.linalg.slogdet(a)
    # d|det| = sign * d det
    factor = np.asarray(g * sign)
    return (factor[..., None, None] * T(np.linalg.inv(a)),)


def cholesky_vjp(g, a):
    c = np.linalg.cholesky(a)
    m = np.tril(T(c) @ np.tril(g))
    i = np.arange(a.shape[-1])
    m[..., i, i] *= 0.5
    ci = np.linalg.inv(c)
    s = T(ci) @ m @ ci
    return (0.5 * (s + T(s)),)


def solve_vjp(g, a, b):
    x = np.linalg.solve(a, b)
    db = np.linalg.solve(T(a), g)
    da = -db @ T(x)
    return reduce(da, a.shape), reduce(db, b.shape)


def reduce(g, shape):
    extra = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(extra)))
    # the last two axes are those of the matrix
    ones = tuple(i for i in range(len(shape) - 2) if shape[i] == 1)
    return g.sum(axis=ones, keepdims=True)
