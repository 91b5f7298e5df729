"""The other entries of a slice are those before an entry and those after it. No multiplication is ever undone."""

import numpy as np


def prod_vjp(g: np.ndarray, x: np.ndarray, *, axis: int | None = None, keepdims: bool = False) -> tuple[np.ndarray]:
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)
    others = products_before(rows) * np.flip(products_before(np.flip(rows, -1)), -1)
    d = g.reshape(*rows.shape[:-1], 1) * others
    return (d.reshape(x.shape) if axis is None else np.moveaxis(d, -1, axis),)


def cumprod_vjp(g: np.ndarray, x: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    rows, g = np.moveaxis(x, axis, -1), np.moveaxis(g, axis, -1)
    before = products_before(rows)
    d = np.empty(rows.shape)
    arriving = np.zeros(rows.shape[:-1])  # the gradient of the output at the current position
    for i in reversed(range(rows.shape[-1])):
        arriving = arriving + g[..., i]
        d[..., i] = arriving * before[..., i]
        arriving = arriving * rows[..., i]
    return (np.moveaxis(d, -1, axis),)


def products_before(rows: np.ndarray) -> np.ndarray:
    """For each entry, the product of the entries before it in its row."""
    shifted = np.ones(rows.shape)
    shifted[..., 1:] = rows[..., :-1]
    return np.cumprod(shifted, axis=-1)
