# Held out. Mistake: Transposes with .T, which reverses all axes of a batch instead of swapping only the last two
# True: transposes-all-axes
import numpy as np


def _reduce(grad, shape):
    lead = grad.ndim - len(shape)
    grad = grad.sum(axis=tuple(range(lead)))
    for ax, n in enumerate(shape):
        if n == 1 and grad.shape[ax] != 1:
            grad = grad.sum(axis=ax, keepdims=True)
    return grad


def matmul_vjp(g, a, b):
    g = np.asarray(g)
    A, B, G = a, b, g
    if b.ndim == 1:
        B = b.reshape(-1, 1)
        G = G[..., np.newaxis]
    if a.ndim == 1:
        A = a.reshape(1, -1)
        G = np.expand_dims(G, -2)
    dA = _reduce(G @ B.T, A.shape)
    dB = _reduce(A.T @ G, B.shape)
    return dA.reshape(a.shape), dB.reshape(b.shape)
