import numpy as np


def linear_vjp(g, x, w, b):
    G = g.reshape(-1, w.shape[0])
    X = x.reshape(-1, w.shape[1])
    db = G.mean(axis=0) if len(G) else np.zeros_like(b)
    return g @ w, G.T @ X, db


def mlp_vjp(g, x, w1, b1, w2, b2):
    h = x @ w1.T + b1
    da, dw2, db2 = linear_vjp(g, np.maximum(h, 0), w2, b2)
    dx, dw1, db1 = linear_vjp(da * (h > 0), x, w1, b1)
    return dx, dw1, db1, dw2, db2
