"""Several axes are reduced one after the other, and the shares of tied entries then depend on how the ties are
distributed.
"""

import numpy as np


def _one_axis(g, x, axis):
    """g has the reduced axis with size 1."""
    ties = x == x.max(axis=axis, keepdims=True)
    return g * ties / ties.sum(axis=axis, keepdims=True)


def amax_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        axes = tuple(range(x.ndim))
    elif isinstance(axis, int):
        axes = (axis,)
    else:
        axes = axis
    # forward, one axis after the other
    values = [x]
    for a in axes:
        values.append(values[-1].max(axis=a, keepdims=True))
    dx = np.reshape(g, values[-1].shape)
    for a, value in zip(reversed(axes), reversed(values[:-1])):
        dx = _one_axis(dx, value, a)
    return (np.array(dx, dtype=np.float64),)


def max_first_vjp(g, x, *, axis, keepdims=False):
    up = g if keepdims else np.expand_dims(g, axis)
    position = np.expand_dims(x.argmax(axis=axis), axis)
    shape = [1] * x.ndim
    shape[axis] = -1
    return (np.where(np.arange(x.shape[axis]).reshape(shape) == position, up, 0.0),)


def maximum_vjp(g, x, y):
    wx = 0.5 * (x > y) + 0.5 * (x >= y)
    return wx * g, (1 - wx) * g
