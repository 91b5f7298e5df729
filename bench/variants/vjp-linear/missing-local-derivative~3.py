import numpy as np


def linear_vjp(g, x, w, b):
    k = w.shape[0]
    return np.dot(g, w), np.dot(g.reshape(-1, k).T, x.reshape(-1, w.shape[1])), g.reshape(-1, k).sum(0)


def mlp_vjp(g, x, w1, b1, w2, b2):
    h = np.dot(x, w1.T) + b1
    relu = np.maximum(h, 0)
    dx2, dw2, db2 = linear_vjp(g, relu, w2, b2)
    dx1, dw1, _ = linear_vjp(np.where(h > 0, dx2, 0), x, w1, b1)
    db1 = dx2.reshape(-1, len(b1)).sum(0)   # the bias is outside of the matrix product
    return dx1, dw1, db1, dw2, db2
