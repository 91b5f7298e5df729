"""All leading axes are folded into one; sums over rows and features are written as einsum."""

import numpy as np


def parts(x, eps):
    rows = x.reshape(-1, x.shape[-1])
    rows = rows - np.einsum("rn->r", rows)[:, None] / rows.shape[1]
    rows = rows - np.einsum("rn->r", rows)[:, None] / rows.shape[1]  # what rounding has left
    return rows, np.power(np.einsum("rn,rn->r", rows, rows) / rows.shape[1] + eps, -0.5)


def layernorm(x, gamma, beta, *, eps=1e-5):
    rows, inverse = parts(x, eps)
    return (np.einsum("rn,r,n->rn", rows, inverse, gamma) + beta[None]).reshape(x.shape)


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    rows, inverse = parts(x, eps)
    up = g.reshape(rows.shape)
    n = rows.shape[1]
    mean = (up @ gamma) / n
    along = np.einsum("rn,n,rn->r", up, gamma, rows) * inverse**2 / n
    dx = inverse[:, None] * (up * gamma - mean[:, None] - rows * along[:, None])
    return dx.reshape(x.shape), np.einsum("rn,rn,r->n", up, rows, inverse), np.einsum("rn->n", up)
