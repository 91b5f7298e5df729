# Held out. Mistake: only the direct path through the numerator uses gamma * g, while the paths through the mean and the variance use g alone, so dx is wrong unless all entries of gamma are 1.
# True: missing-gamma
import numpy as np


def normalise(x, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    var = (centred**2).mean(axis=-1, keepdims=True)
    inv = 1 / np.sqrt(var + eps)
    return centred * inv, inv


def layernorm(x, gamma, beta, *, eps=1e-5):
    xhat, _ = normalise(x, eps)
    return gamma * xhat + beta


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    xhat, inv = normalise(x, eps)
    n = x.shape[-1]
    direct = gamma * g
    through_mean = g.mean(axis=-1, keepdims=True)
    through_var = xhat * (g * xhat).mean(axis=-1, keepdims=True)
    dx = inv * (direct - through_mean - through_var)
    dgamma = (g * xhat).reshape(-1, n).sum(axis=0)
    dbeta = g.reshape(-1, n).sum(axis=0)
    return dx, dgamma, dbeta
