"""A mask becomes a list of the flat positions of its survivors. Everything else is never read, and stays 0 from the start."""

import numpy as np


def survivors(mask, shape):
    return np.flatnonzero(np.broadcast_to(mask, shape))


def carried(values, positions, p):
    """An array of zeros with the scaled survivors at their positions. For p = 1 there are none, and nothing is divided."""
    out = np.zeros(values.shape)
    if len(positions):
        out.put(positions, values.take(positions) / (1 - p))
    return out


def dropout(x, mask, *, p):
    return carried(x, survivors(mask, x.shape), p)


def dropout_vjp(g, x, mask, *, p):
    return (carried(g, survivors(mask, x.shape), p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p, self.rng, self.shared = p, rng, shared

    def forward(self, x, training=True):
        if training:
            sizes = [1 if axis in self.shared else size for axis, size in enumerate(x.shape)]
            self.latest = survivors(self.rng.random(sizes) >= self.p, x.shape), self.p
        else:
            self.latest = np.arange(x.size), 0.0
        return carried(x, *self.latest)

    def backward(self, g):
        return carried(g, *self.latest)


def dropconnect(x, w, b, mask, *, p):
    return x @ dropout(w, mask, p=p) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    return g @ dropout(w, mask, p=p).T, *dropout_vjp(x.T @ g, w, mask, p=p), g.sum(axis=0)
