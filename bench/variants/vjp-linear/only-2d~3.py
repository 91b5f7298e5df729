import numpy as np


def linear_vjp(g, x, w, b):
    n = x.shape[0]
    dw = np.zeros_like(w)
    for i in range(n):
        dw += np.outer(g[i], x[i])
    db = np.sum(g, axis=0)
    dx = g @ w
    return dx, dw, db


def mlp_vjp(g, x, w1, b1, w2, b2):
    z = x @ w1.T + b1
    h = np.maximum(0, z)
    dh, dw2, db2 = linear_vjp(g, h, w2, b2)
    dz = dh.copy()
    dz[z <= 0] = 0
    dx, dw1, db1 = linear_vjp(dz, x, w1, b1)
    return dx, dw1, db1, dw2, db2
