# Held out. Mistake: only batch axes that are missing in a factor are summed, not those stretched from size 1, so such gradients keep the broadcast shape.
# True: missing-unbroadcast
import numpy as np


def matmul_vjp(g, a, b):
    A = a[None, :] if a.ndim == 1 else a
    B = b[:, None] if b.ndim == 1 else b
    G = g
    if b.ndim == 1:
        G = np.expand_dims(G, -1)
    if a.ndim == 1:
        G = np.expand_dims(G, -2)

    dA = G @ np.swapaxes(B, -1, -2)
    dB = np.swapaxes(A, -1, -2) @ G

    dA = dA.sum(axis=tuple(range(dA.ndim - A.ndim)))
    dB = dB.sum(axis=tuple(range(dB.ndim - B.ndim)))

    if a.ndim == 1:
        dA = dA[0]
    if b.ndim == 1:
        dB = dB[:, 0]
    return dA, dB
