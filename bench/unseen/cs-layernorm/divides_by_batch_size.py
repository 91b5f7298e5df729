# Held out. Mistake: the backward pass, copied from batch norm, divides the sums over a row by N, the number of examples, instead of D, so dx is wrong unless N = D.
# True: wrong-count
import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    """Layer normalisation of the rows of x (N, D). Returns (out, cache)."""
    eps = ln_param.get("eps", 1e-5)
    mean = np.mean(x, axis=1, keepdims=True)
    var = np.var(x, axis=1, keepdims=True)
    std = np.sqrt(var + eps)
    x_hat = (x - mean) / std
    out = gamma * x_hat + beta
    return out, (x_hat, gamma, std)


def layernorm_backward(dout, cache):
    """(dx, dgamma, dbeta) for the upstream gradient dout of shape (N, D)."""
    x_hat, gamma, std = cache
    N, D = dout.shape
    dbeta = np.sum(dout, axis=0)
    dgamma = np.sum(dout * x_hat, axis=0)
    dx_hat = dout * gamma
    s1 = np.sum(dx_hat, axis=1, keepdims=True)
    s2 = np.sum(dx_hat * x_hat, axis=1, keepdims=True)
    dx = (N * dx_hat - s1 - x_hat * s2) / (N * std)
    return dx, dgamma, dbeta
