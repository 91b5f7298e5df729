# Held out. Mistake: dout is multiplied by gamma first and the product is used for everything, so dgamma and dbeta carry an extra factor gamma.
import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    eps = ln_param.get("eps", 1e-5)
    xt = x.T                                   # features first, then it is batch norm
    xc = xt - xt.mean(axis=0)
    inv = 1.0 / np.sqrt((xc ** 2).mean(axis=0) + eps)
    xhat = (xc * inv).T
    return xhat * gamma + beta, (xhat, inv, gamma)


def layernorm_backward(dout, cache):
    xhat, inv, gamma = cache
    dout = dout * gamma                        # every entry has its own scale: multiply it first
    dgamma = (dout * xhat).sum(axis=0)
    dbeta = dout.sum(axis=0)
    m1 = dout.mean(axis=1)[:, None]
    m2 = (dout * xhat).mean(axis=1)[:, None]
    dx = inv[:, None] * (dout - m1 - xhat * m2)
    return dx, dgamma, dbeta
