# Mistake: -inf is replaced by -1e9, so a slice that is masked completely becomes a uniform distribution with a finite lse
# True: finite-mask
import numpy as np

MASKED = -1e9       # exp of it is 0, and no inf - inf can happen


def lse(x, *, axis=-1):
    scores = np.where(np.isneginf(x), MASKED, x)
    m = scores.max(axis=axis, keepdims=True)
    s = np.exp(scores - m).sum(axis=axis)
    return np.log(s) + np.squeeze(m, axis=axis)


def softmax(x, *, axis=-1):
    scores = np.where(np.isneginf(x), MASKED, x)
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    e /= e.sum(axis=axis, keepdims=True)
    return e


def softmax_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    gp = g * p
    return (gp - p * gp.sum(axis=axis, keepdims=True),)


def lse_vjp(g, x, *, axis=-1):
    p = softmax(x, axis=axis)
    p *= np.expand_dims(np.asarray(g), axis)
    return (p,)
