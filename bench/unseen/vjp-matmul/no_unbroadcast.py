# Mistake: gradients of broadcast batches are not summed
# True: missing-unbroadcast
import numpy as np


def matmul_vjp(g, a, b):
    A = a.reshape(1, -1) if a.ndim == 1 else a
    B = b.reshape(-1, 1) if b.ndim == 1 else b
    G = np.asarray(g)
    if b.ndim == 1:
        G = G[..., None]
    if a.ndim == 1:
        G = G[..., None, :]
    da = np.matmul(G, np.swapaxes(B, -1, -2))
    db = np.matmul(np.swapaxes(A, -1, -2), G)
    if a.ndim == 1 and da.ndim == 2:
        da = da.reshape(a.shape)
    if b.ndim == 1 and db.ndim == 2:
        db = db.reshape(b.shape)
    return da, db
