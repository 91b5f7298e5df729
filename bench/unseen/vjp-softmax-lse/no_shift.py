# Mistake: nothing is subtracted before exp
# True: overflow
import numpy as np


def softmax(x, *, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def lse(x, *, axis=-1):
    return np.log(np.exp(x).sum(axis=axis))


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    return (p * (g - (g * p).sum(axis=axis, keepdims=True)),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(g, axis) * softmax(x, axis=axis),)
