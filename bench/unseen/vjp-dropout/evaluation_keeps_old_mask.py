# Held out. Mistake: a pass in evaluation mode does not clear the mask of the previous training pass, so backward after an evaluation pass applies this old mask instead of returning g.
# True: stale-mask-after-evaluation
import numpy as np


def dropout(x, mask, *, p):
    if p == 1:
        return np.zeros(x.shape)
    return x * mask / (1 - p)


def dropout_vjp(g, x, mask, *, p):
    return (dropout(g, mask, p=p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p = p
        self.rng = rng
        self.shared = shared
        self.mask = None

    def forward(self, x, training=True):
        if not training:
            return x.copy()
        shape = tuple(1 if i in self.shared else n for i, n in enumerate(x.shape))
        self.mask = self.rng.random(shape) >= self.p
        return dropout(x, self.mask, p=self.p)

    def backward(self, g):
        if self.mask is None:
            return g.copy()
        return dropout(g, self.mask, p=self.p)


def dropconnect(x, w, b, mask, *, p):
    return x @ dropout(w, mask, p=p) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    dx = g @ dropout(w, mask, p=p).T
    dw = dropout(x.T @ g, mask, p=p)
    return dx, dw, g.sum(axis=0)
