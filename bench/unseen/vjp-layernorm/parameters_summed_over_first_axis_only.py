# Mistake: dgamma and dbeta are summed over axis 0 only, which is right for a matrix, but for x with three or more axes they keep leading axes and have the wrong shape.
# True: only-2d
import numpy as np


def layernorm(x, gamma, beta, *, eps=1e-5):
    m = np.mean(x, axis=-1, keepdims=True)
    v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
    return gamma * (x - m) / np.sqrt(v + eps) + beta


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    n = x.shape[-1]
    m = np.mean(x, axis=-1, keepdims=True)
    d = x - m
    v = np.mean(d**2, axis=-1, keepdims=True)
    s = np.sqrt(v + eps)

    # y = gamma * xhat + beta
    dbeta, dgamma = g, g * d / s
    if x.ndim > 1:
        dbeta = dbeta.sum(axis=0)
        dgamma = dgamma.sum(axis=0)
    dxhat = g * gamma

    # xhat = d / s
    dd = dxhat / s
    ds = np.sum(-dxhat * d / s**2, axis=-1, keepdims=True)
    # s = sqrt(v + eps), v = mean(d^2)
    dv = ds / (2 * s)
    dd = dd + dv * 2 * d / n
    # d = x - m
    dx = dd - np.mean(dd, axis=-1, keepdims=True)
    return dx, np.array(dgamma), np.array(dbeta)
