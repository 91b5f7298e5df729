# Held out. Mistake: Sums over batch axes that are missing in front but not over batch axes of size 1 that were stretched
# True: missing-unbroadcast
import numpy as np


def matmul_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray):
    g = np.asarray(g, dtype=float)
    a_vec, b_vec = a.ndim == 1, b.ndim == 1
    if b_vec:
        b = b[:, None]
        g = np.expand_dims(g, -1)
    if a_vec:
        a = a[None, :]
        g = np.expand_dims(g, -2)

    da = np.matmul(g, np.swapaxes(b, -1, -2))
    db = np.matmul(np.swapaxes(a, -1, -2), g)

    # a matrix without batch axes is used in every product
    while da.ndim > a.ndim:
        da = da.sum(axis=0)
    while db.ndim > b.ndim:
        db = db.sum(axis=0)

    if a_vec:
        da = da[0, :]
    if b_vec:
        db = db[:, 0]
    return da, db
