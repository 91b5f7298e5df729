# Held out. Mistake: dropconnect_vjp divides the whole upstream gradient by 1 - p at the beginning, which is right for dx and dw, but also scales db, although the bias is not scaled in the forward pass.
# True: bias-scaled
import numpy as np


def factor(p):
    """1 / (1 - p), and 0 if everything is dropped"""
    return 0.0 if p == 1 else 1 / (1 - p)


def dropout(x: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    return np.where(mask, x, 0.0) * factor(p)


def dropout_vjp(g: np.ndarray, x: np.ndarray, mask: np.ndarray, *, p: float) -> tuple[np.ndarray]:
    return (np.where(mask, g, 0.0) * factor(p),)


class Dropout:
    def __init__(self, p, rng, shared=()):
        self.p, self.rng, self.shared = p, rng, set(shared)

    def forward(self, x, training=True):
        if training:
            shape = list(x.shape)
            for axis in self.shared:
                shape[axis] = 1
            kept = self.rng.random(tuple(shape)) >= self.p
            self.scale = kept * factor(self.p)
        else:
            self.scale = 1.0
        return x * self.scale

    def backward(self, g):
        return g * self.scale


def dropconnect(x, w, b, mask, *, p):
    return x @ (mask * w) * factor(p) + b


def dropconnect_vjp(g, x, w, b, mask, *, p):
    gs = g * factor(p)
    dx = gs @ (mask * w).T
    dw = mask * (x.T @ gs)
    db = gs.sum(0)
    return dx, dw, db
