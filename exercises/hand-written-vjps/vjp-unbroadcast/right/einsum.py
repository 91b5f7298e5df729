"""einsum: axes that the operand lacks, or that have size 1, do not appear to the right of the arrow."""

from string import ascii_letters

import numpy as np


def unbroadcast(g, shape):
    names = ascii_letters[: g.ndim]
    own = names[g.ndim - len(shape):]
    kept = "".join(name for name, size in zip(own, shape) if size != 1)
    return np.einsum(f"{names}->{kept}", g).reshape(shape)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(np.einsum("...,...->...", g, y), x.shape), unbroadcast(g * x, y.shape)
