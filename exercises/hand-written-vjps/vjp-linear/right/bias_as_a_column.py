"""The bias is one more column of the weights, and every sample has one more feature, which is 1."""

import numpy as np


def extended(x):
    return np.concatenate([x, np.ones((*x.shape[:-1], 1))], axis=-1)


def linear_vjp(g, x, w, b):
    dw = np.tensordot(g, extended(x), axes=(range(g.ndim - 1), range(x.ndim - 1)))
    return np.tensordot(g, w, 1), dw[:, :-1], dw[:, -1]


def mlp_vjp(g, x, w1, b1, w2, b2):
    a = np.maximum(extended(x) @ np.column_stack([w1, b1]).T, 0)
    da, *second = linear_vjp(g, a, w2, b2)
    return (*linear_vjp(np.where(a == 0, 0, da), x, w1, b1), *second)
