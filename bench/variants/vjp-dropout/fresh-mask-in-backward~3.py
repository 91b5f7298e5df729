"""The backward pass is another forward pass."""

import numpy as np


def dropout(x, mask, *, p):
    if p == 1:
        return np.zeros(x.shape)
    return x * mask / (1 - p)


def dropout_vjp(g, x, mask, *, p):
    if p == 1:
        return (np.zeros(x.shape),)
    return (g * mask / (1 - p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p = p
        self.rng = rng
        self.shared = shared
        self.mask = None

    def forward(self, x, training=True):
        if not training:
            self.mask = None
            return x
        shape = [1 if axis in self.shared else n for axis, n in enumerate(x.shape)]
        self.mask = self.rng.random(shape) >= self.p
        return dropout(x, self.mask, p=self.p)

    def backward(self, g):
        if self.mask is None:
            return g
        return self.forward(g)


def dropconnect(x, w, b, mask, *, p):
    return x @ dropout(w, mask, p=p) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    dropped = dropout(w, mask, p=p)
    dx = g @ dropped.T
    dw = dropout(x.T @ g, mask, p=p)
    db = g.sum(axis=0)
    return dx, dw, db
