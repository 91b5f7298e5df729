"""gamma and beta are folded into one scale and one shift per channel."""

import numpy as np


def spread(v, x):
    return np.expand_dims(v, tuple(range(1, x.ndim - 1)))


def reduced(x):
    return np.add.reduce(x, axis=tuple(a for a in range(x.ndim) if a != 1))


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    m, v = running_mean, running_var
    new = m, v
    if training:
        n = x.size // len(gamma)
        m = reduced(x) / n
        squares = reduced(np.square(x - spread(m, x)))
        v = squares / n
        new = tuple(np.average([old, batch], axis=0, weights=[1 - momentum, momentum])
                    for old, batch in zip(new, (m, squares / (n - 1))))
    scale = gamma / np.sqrt(v + eps)
    return (x - spread(m, x)) * spread(scale, x) + spread(beta, x), *new


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    n = x.size // len(gamma)
    m, v = running_mean, running_var
    if training:
        m = reduced(x) / n
        v = reduced(np.square(x - spread(m, x))) / n
    c = x - spread(m, x)
    inverse = (v + eps) ** -0.5
    dbeta, dgamma = reduced(g), reduced(g * c) * inverse
    if training:
        g = g - spread(dbeta, x) / n - c * spread(inverse * dgamma, x) / n
    return g * spread(gamma * inverse, x), dgamma, dbeta
