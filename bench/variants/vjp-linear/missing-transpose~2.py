"""dw comes out with one row for each input feature, the layout of x @ w."""
import numpy as np


def linear_vjp(g, x, w, b):
    o, i = w.shape
    X = x.reshape(-1, i)
    G = g.reshape(-1, o)
    dw = X.T @ G
    dx = (G @ w).reshape(x.shape)
    return dx, dw, G.sum(0)

def mlp_vjp(g, x, w1, b1, w2, b2):
    z = x @ w1.T + b1
    a = np.where(z > 0, z, 0.)
    da, dw2, db2 = linear_vjp(g, a, w2, b2)
    dz = np.where(z > 0, da, 0.)
    dx, dw1, db1 = linear_vjp(dz, x, w1, b1)
    return dx, dw1, db1, dw2, db2
