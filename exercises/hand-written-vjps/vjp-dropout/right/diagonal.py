"""Dropout is a product with a diagonal matrix. The layer keeps a copy of the generator and draws the mask once more."""

import copy

import numpy as np


def diagonal(shape, mask, p):
    weight = 0.0 if p == 1 else 1.0 / (1.0 - p)
    return np.diag(weight * np.broadcast_to(mask, shape).ravel())


def dropout(x, mask, *, p):
    return (diagonal(x.shape, mask, p) @ x.ravel()).reshape(x.shape)


def dropout_vjp(g, x, mask, *, p):
    return ((g.ravel() @ diagonal(x.shape, mask, p)).reshape(x.shape),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.settings = p, shared
        self.rng = rng
        self.before = None

    def mask(self, rng, shape):
        p, shared = self.settings
        return rng.random([n if axis not in shared else 1 for axis, n in enumerate(shape)]) >= p

    def forward(self, x, training=True):
        self.before = copy.deepcopy(self.rng) if training else None
        if not training:
            return x.copy()
        mask = self.mask(self.rng, x.shape)
        return x * np.nan_to_num(mask / np.float64(1 - self.settings[0]))

    def backward(self, g):
        if self.before is None:
            return g.copy()
        mask = self.mask(copy.deepcopy(self.before), g.shape)
        return g * np.nan_to_num(mask / np.float64(1 - self.settings[0]))


def dropconnect(x, w, b, mask, *, p):
    kept = w * (mask if p < 1 else False) / (1 - p if p < 1 else 1)
    return np.stack([row @ kept + b for row in x]) if len(x) else np.zeros((0, len(b)))


def dropconnect_vjp(g, x, w, b, mask, *, p):
    factor = (mask if p < 1 else np.zeros(w.shape)) / (1 - p if p < 1 else 1)
    dx, dw, db = np.zeros(x.shape), np.zeros(w.shape), np.zeros(b.shape)
    for n in range(len(x)):
        dx[n] = (factor * w) @ g[n]
        dw += factor * np.outer(x[n], g[n])
        db += g[n]
    return dx, dw, db
