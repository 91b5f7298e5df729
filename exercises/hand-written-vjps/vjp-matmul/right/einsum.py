"""One subscript per axis. A stretched axis of size 1 is omitted from the factor and from its gradient."""

import numpy as np


def matmul_vjp(g, a, b):
    width = max(a.ndim, b.ndim)
    batch = "ABCDEFGH"[: max(width - 2, 0)]
    sides = []
    for factor, own in ((a, "k" if a.ndim == 1 else "ik"), (b, "k" if b.ndim == 1 else "kj")):
        axes = factor.shape[:-2]
        names = batch[len(batch) - len(axes):]
        kept = "".join(name for name, size in zip(names, axes, strict=True) if size != 1)
        sizes = tuple(size for size in axes if size != 1)
        sides.append((kept + own, factor.reshape(sizes + factor.shape[-len(own):])))
    (names_a, slim_a), (names_b, slim_b) = sides
    names_g = batch + ("" if a.ndim == 1 else "i") + ("" if b.ndim == 1 else "j")
    da = np.einsum(f"{names_g},{names_b}->{names_a}", g, slim_b)
    db = np.einsum(f"{names_g},{names_a}->{names_b}", g, slim_a)
    return da.reshape(a.shape), db.reshape(b.shape)
