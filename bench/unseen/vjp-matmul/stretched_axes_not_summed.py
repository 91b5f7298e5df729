# Held out. Mistake: only batch axes that were missing in front are summed, not those of size 1 that were stretched
# True: missing-unbroadcast
import numpy as np


def matmul_vjp(g, a, b):
    # make both factors matrices, and g the matrix product of them
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    up = np.asarray(g)
    if b.ndim == 1:
        up = up[..., None]
    if a.ndim == 1:
        up = np.expand_dims(up, -2)

    da = np.matmul(up, np.swapaxes(right, -1, -2))
    db = np.matmul(np.swapaxes(left, -1, -2), up)

    # a factor with fewer axes was used for a whole batch
    while da.ndim > left.ndim:
        da = da.sum(axis=0)
    while db.ndim > right.ndim:
        db = db.sum(axis=0)

    if a.ndim == 1:
        da = da[0]
    if b.ndim == 1:
        db = db[:, 0]
    return da, db
