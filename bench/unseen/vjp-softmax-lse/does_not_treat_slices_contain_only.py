# Held out. Mistake: Does not treat slices that contain only -inf: the shift is -inf - (-inf) = nan
# True: nan-on-masked-row
import numpy as np


def softmax(x, *, axis=-1):
    shifted = x - x.max(axis=axis, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=axis, keepdims=True)


def lse(x, *, axis=-1):
    m = x.max(axis=axis, keepdims=True)
    out = m + np.log(np.exp(x - m).sum(axis=axis, keepdims=True))
    return np.asarray(out.squeeze(axis=axis))


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    gp = (g * p).sum(axis=axis, keepdims=True)
    return (p * (g - gp),)


def lse_vjp(g, x, *, axis=-1):
    return (np.expand_dims(np.asarray(g), axis) * softmax(x, axis=axis),)
