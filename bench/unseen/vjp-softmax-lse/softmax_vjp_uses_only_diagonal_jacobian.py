# Held out. Mistake: softmax_vjp uses only the diagonal of the Jacobian, g * p * (1 - p), as for the sigmoid
# True: diag-only
import numpy as np


def softmax(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    e = np.exp(x - top)
    s = np.sum(e, axis=axis, keepdims=True)
    return np.divide(e, s, out=np.zeros_like(e), where=s > 0)


def lse(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    s = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    return np.asarray((np.log(s) + top).squeeze(axis))


def softmax_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1):
    p = softmax(x, axis=axis)
    return (g * p * (1.0 - p),)


def lse_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1):
    p = softmax(x, axis=axis)
    return (p * np.expand_dims(g, axis),)
