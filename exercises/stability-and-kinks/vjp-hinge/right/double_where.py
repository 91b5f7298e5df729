"""A third axis holds the comparison of every class with every class; the slope comes from np.sign."""

import numpy as np


def compared(x, t, margin):
    everything = x[:, :, None] - x[:, None, :] + margin  # sample, class, class it is compared with
    missed = np.take_along_axis(everything, t[:, None, None], axis=2)[:, :, 0]
    return np.where(np.arange(x.shape[1])[None] == t[:, None], 0.0, missed)


def hinge(x, t, *, margin=1.0):
    if x.size == 0:
        return 0.0
    return np.maximum(compared(x, t, margin), 0).sum(axis=1).mean()


def hinge_vjp(g, x, t, *, margin=1.0):
    slopes = np.maximum(np.sign(compared(x, t, margin)), 0)
    np.put_along_axis(slopes, t[:, None], -slopes.sum(axis=1, keepdims=True), axis=1)
    return (slopes * g / np.maximum(len(x), 1),)
