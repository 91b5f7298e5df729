"""The reduced axes move to the end and become a single one; afterwards everything moves back."""

import numpy as np


def along_rows(rule):
    def vjp(g, x, *, axis=None, keepdims=False, **more):
        axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = tuple(sorted(a % x.ndim for a in axes))
        order = [a for a in range(x.ndim) if a not in axes] + list(axes)
        turned = x.transpose(order)
        slices = int(np.prod(turned.shape[: x.ndim - len(axes)]))
        size = int(np.prod(turned.shape[x.ndim - len(axes) :]))
        rows = rule(g.reshape(slices, 1), turned.reshape(slices, size), **more) + np.zeros((slices, size))
        return (rows.reshape(turned.shape).transpose(np.argsort(order)),)

    return vjp


def norm_rule(g, rows):
    r = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(g * rows, r, out=np.zeros_like(rows), where=r > 0)


sum_vjp = along_rows(lambda g, rows: g)
mean_vjp = along_rows(lambda g, rows: np.divide(g, rows.shape[1]))
var_vjp = along_rows(lambda g, rows, ddof=0: g * (rows - rows.mean(1, keepdims=True)) / ((rows.shape[1] - ddof) / 2))
norm_vjp = along_rows(norm_rule)
