"""Boolean indexing, and a closure for the backward pass."""

import numpy as np


def keep(values, mask, p):
    out = np.zeros_like(values)
    chosen = np.broadcast_to(mask, values.shape)
    out[chosen] = values[chosen] * (1.0 / (1.0 - p) if p != 1.0 else 0.0)
    return out


def dropout(x, mask, *, p):
    return keep(x, mask, p)


def dropout_vjp(g, x, mask, *, p):
    return (keep(g, mask, p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p = p
        self.generator = rng
        self.shared = set(shared)

    def forward(self, x, training=True):
        if not training:
            self.backward_now = np.copy
            return x
        shape = tuple(1 if k in self.shared else n for k, n in enumerate(x.shape))
        dropped = np.array([number < self.p for number in self.generator.random(int(np.prod(shape)))], dtype=bool)
        mask = ~dropped.reshape(shape)
        self.backward_now = lambda g: keep(g, mask, self.p)
        return keep(x, mask, self.p)

    def backward(self, g):
        return self.backward_now(g)


def dropconnect(x, w, b, mask, *, p):
    return np.dot(x, keep(w, mask, p)) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    dx = np.dot(g, keep(w, mask, p).T)
    dw = keep(np.dot(x.T, g), mask, p)
    return dx, dw, np.add.reduce(g, axis=0)
