"""Every gradient is collected entry by entry in Python loops."""

import numpy as np


def unbroadcast(broadcasted, original):
    total = np.zeros(original.shape)
    skip = np.ndim(broadcasted) - original.ndim
    for place in np.ndindex(*np.shape(broadcasted)):
        own = tuple(0 if size == 1 else n for n, size in zip(place[skip:], original.shape))
        total[own] += broadcasted[place]
    return total


def elementwise(derivative):
    def back(grad_out, out, x):
        result = np.empty_like(x)
        for place in np.ndindex(*x.shape):
            result[place] = grad_out[place] * derivative(out[place] if np.ndim(out) else out, x[place])
        return result

    return back


log_back = elementwise(lambda out, x: 1 / x)
negative_back = elementwise(lambda out, x: -1)
exp_back = elementwise(lambda out, x: out)


def multiply_back0(grad_out, out, x, y):
    return unbroadcast(grad_out * y, x)


def multiply_back1(grad_out, out, x, y):
    return unbroadcast(x * grad_out, y)


def share(mine, other):
    return np.select([np.greater(mine, other), np.less(mine, other)], [1.0, 0.0], 0.5)


def maximum_back0(grad_out, out, x, y):
    return unbroadcast(share(x, y) * grad_out, x)


def maximum_back1(grad_out, out, x, y):
    return unbroadcast(share(y, x) * grad_out, y)


def matmul2d_back0(grad_out, out, x, y):
    return np.array([[sum(g * w for g, w in zip(row, column)) for column in y] for row in grad_out])


def matmul2d_back1(grad_out, out, x, y):
    return matmul2d_back0(grad_out.T, out, y, x.T).T


def reshape_back(grad_out, out, x, new_shape):
    return np.array([g for g in np.nditer(grad_out, order="C")], dtype=float).reshape(x.shape)


def permute_back(grad_out, out, x, axes):
    for first in range(len(axes)):  # sort the axes by swaps
        axes = list(axes)
        at = axes.index(first)
        axes[first], axes[at] = axes[at], axes[first]
        grad_out = np.swapaxes(grad_out, first, at)
    return grad_out


def sum_back(grad_out, out, x, dim=None, keepdim=False):
    if not keepdim:
        axes = range(x.ndim) if dim is None else np.atleast_1d(dim)
        for axis in sorted(int(axis) % x.ndim for axis in axes):
            grad_out = np.expand_dims(grad_out, axis)
    return grad_out + 0 * x


def getitem_back(grad_out, out, x, index):
    grad = np.zeros(x.shape)
    whole = index if isinstance(index, tuple) else (index,)
    parts = np.broadcast_arrays(*whole)
    for place in np.ndindex(*parts[0].shape):
        grad[tuple(int(part[place]) for part in parts)] += grad_out[place]
    return grad


def forward_and_back(a, b, c):
    d, e = a * b, np.log(c)
    f = d * e
    one = np.ones(np.shape(f))
    df = log_back(one, np.log(f), f)
    dd, de = multiply_back0(df, f, d, e), multiply_back1(df, f, d, e)
    return multiply_back0(dd, d, a, b), multiply_back1(dd, d, a, b), log_back(de, e, c)
