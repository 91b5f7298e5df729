"""The gradient is multiplied by the factor of the latest training pass, if there was one."""

import numpy as np


def multiplier(mask, p):
    """The numbers by which entries are multiplied: 0, or the inverse of the probability to keep them."""
    keep = 1.0 - p
    return np.where(mask, 1.0 / keep if keep > 0 else 0.0, 0.0)


def dropout(x, mask, *, p):
    return x * multiplier(mask, p)


def dropout_vjp(g, x, mask, *, p):
    dx = g * multiplier(mask, p)
    return (dx,)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p, self.rng, self.shared = p, rng, shared

    def draw(self, x):
        shape = list(x.shape)
        for axis in self.shared:
            shape[axis] = 1
        return self.rng.random(shape) >= self.p

    def forward(self, x, training=True):
        self.training = training
        if training:
            self.factor = multiplier(self.draw(x), self.p)
            return x * self.factor
        return x.copy()

    def backward(self, g):
        if hasattr(self, "factor"):
            return g * self.factor
        return g.copy()


def dropconnect(x, w, b, mask, *, p):
    return np.einsum("nd,dk->nk", x, w * multiplier(mask, p)) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    m = multiplier(mask, p)
    dx = np.einsum("nk,dk->nd", g, w * m)
    dw = np.einsum("nd,nk->dk", x, g) * m
    return dx, dw, g.sum(axis=0)
