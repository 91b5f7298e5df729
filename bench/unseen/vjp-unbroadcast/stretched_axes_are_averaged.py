# Held out. Mistake: axes that were stretched from size 1 are averaged instead of summed, so those gradients are too small by the number of copies.
# True: sum-vs-mean
import numpy as np


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and g.shape[axis] > 1:
            g = np.mean(g, axis=axis, keepdims=True)
        elif size == 1 and g.shape[axis] == 0:
            g = np.sum(g, axis=axis, keepdims=True)
    return np.asarray(g)


def add_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (unbroadcast(g, x.shape), unbroadcast(g, y.shape))


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape))
