"""Everything is a product with a factor that does not depend on the input: 0 or 1 / (1 - p)."""

import numpy as np


def factor(mask: np.ndarray, p: float) -> np.ndarray:
    return mask / (1 - p) if p < 1 else np.zeros(mask.shape)


def dropout(x: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    return x * factor(mask, p)


def dropout_vjp(g: np.ndarray, x: np.ndarray, mask: np.ndarray, *, p: float) -> tuple[np.ndarray]:
    return (g * factor(mask, p),)


class Dropout:
    def __init__(self, p: float, rng: np.random.Generator, shared: tuple[int, ...] = ()) -> None:
        self.p, self.rng, self.shared = p, rng, shared

    def forward(self, x: np.ndarray, training: bool = True) -> np.ndarray:
        self.factor = np.ones(())
        if training:
            shape = [1 if axis in self.shared else size for axis, size in enumerate(x.shape)]
            self.factor = factor(self.rng.random(shape) >= self.p, self.p)
        return x * self.factor

    def backward(self, g: np.ndarray) -> np.ndarray:
        return g * self.factor


def dropconnect(x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    return x @ dropout(w, mask, p=p) + b


def dropconnect_vjp(
    g: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    (dw,) = dropout_vjp(x.T @ g, w, mask, p=p)
    return g @ dropout(w, mask, p=p).T, dw, g.sum(axis=0)
