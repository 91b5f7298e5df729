"""The Jacobian of softmax is symmetric, so its VJP is a JVP: forward mode, with a tangent beside every number.
Without a direction, the tangents are 0."""

import numpy as np


def exponentials(x, axis):
    """The shift of each slice, the shifted exponentials and their sum."""
    top = x.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    e = np.exp(x - top)
    return top, e, e.sum(axis=axis, keepdims=True)


def softmax_and_tangent(x, direction, axis):
    _, e, total = exponentials(x, axis)
    total = np.where(total == 0, 1.0, total)
    e_dot = e * direction
    total_dot = e_dot.sum(axis=axis, keepdims=True)
    p = e / total
    return p, (e_dot - p * total_dot) / total


def softmax(x, *, axis=-1):
    return softmax_and_tangent(x, 0.0, axis)[0]


def lse(x, *, axis=-1):
    top, _, total = exponentials(x, axis)
    return np.squeeze(top + np.log(total), axis)


def softmax_vjp(g, x, *, axis=-1):
    return (softmax_and_tangent(x, g, axis)[1],)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
