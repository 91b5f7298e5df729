"""The gradients of the parameters are columns."""

import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    mu = x.mean(axis=1, keepdims=True)
    xc = x - mu
    inv = 1 / np.sqrt((xc**2).mean(axis=1, keepdims=True) + ln_param.get("eps", 1e-5))
    hat = xc * inv
    return hat * gamma + beta, (hat, inv, gamma)


def layernorm_backward(dout, cache):
    hat, inv, gamma = cache
    g = dout * gamma
    dx = inv * (g - g.mean(axis=1, keepdims=True) - hat * (g * hat).mean(axis=1, keepdims=True))
    return dx, (dout * hat).sum(axis=0), dout.sum(axis=0)


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    """Layer norm of the groups, without parameters of its own."""
    rows = x.reshape(x.shape[0] * G, -1)
    hat, cache = layernorm_forward(rows, 1.0, 0.0, gn_param)
    hat = hat.reshape(x.shape)
    return gamma * hat + beta, (hat, gamma, cache, rows.shape)


def spatial_groupnorm_backward(dout, cache):
    hat, gamma, inner, shape = cache
    dx, _, _ = layernorm_backward((dout * gamma).reshape(shape), inner)
    of_each = [np.sum(part, axis=(0, 2, 3))[:, None, None] for part in (dout * hat, dout)]
    return dx.reshape(dout.shape), *of_each
