# Held out. Mistake: lse_vjp always puts the missing axis of g at the end, so with another axis than the last each upstream gradient goes to the wrong slices.
# True: wrong-axis
import numpy as np


def softmax(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    top = x.max(axis=axis, keepdims=True)
    dead = top == -np.inf
    e = np.exp(x - np.where(dead, 0, top))
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, out=np.zeros(x.shape), where=total > 0)


def lse(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    top = x.max(axis=axis)
    shift = np.where(top == -np.inf, 0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(x - np.expand_dims(shift, axis)).sum(axis=axis)))


def softmax_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1) -> tuple[np.ndarray]:
    p = softmax(x, axis=axis)
    inner = (g * p).sum(axis=axis, keepdims=True)
    return (p * (g - inner),)


def lse_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1) -> tuple[np.ndarray]:
    p = softmax(x, axis=axis)
    return (g[..., np.newaxis] * p,)
