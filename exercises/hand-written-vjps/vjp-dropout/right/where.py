"""np.where, with a divisor that is never 0. The layer stores the numbers that it drew, and not the mask."""

import numpy as np


def scaled(values, mask, p):
    return np.where(mask, values / max(1 - p, 1e-300), 0.0)


def dropout(x, mask, *, p):
    return scaled(x, mask, p)


def dropout_vjp(g, x, mask, *, p):
    return (scaled(g, mask, p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p, self.rng, self.shared = p, rng, shared
        self.drawn = None

    def forward(self, x, training=True):
        shape = list(x.shape)
        for axis in self.shared:
            shape[axis] = 1
        self.drawn = self.rng.random(shape) if training else None
        return self.backward(x)

    def backward(self, g):
        return g.copy() if self.drawn is None else scaled(g, self.drawn >= self.p, self.p)


def dropconnect(x, w, b, mask, *, p):
    return np.einsum("nd,dk->nk", x, scaled(w, mask, p)) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    used = scaled(w, mask, p)
    return np.einsum("nk,dk->nd", g, used), np.einsum("nd,nk,dk->dk", x, g, scaled(np.ones(w.shape), mask, p)), g.sum(0)
