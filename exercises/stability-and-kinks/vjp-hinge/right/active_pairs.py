"""Finds the pairs of sample and active class, and adds their contributions one by one."""

import numpy as np


def active_pairs(x, t, margin):
    missed = margin - (x[np.arange(len(t)), t][:, None] - x)
    sample, other = np.nonzero((missed > 0) & (np.arange(x.shape[1]) != t[:, None]))
    return sample, other, missed[sample, other]


def hinge(x, t, *, margin=1.0):
    return np.add.reduce(active_pairs(x, t, margin)[2]) / (len(t) or 1)


def hinge_vjp(g, x, t, *, margin=1.0):
    sample, other, _ = active_pairs(x, t, margin)
    dx = np.zeros(x.shape)
    share = g / (len(t) or 1)
    np.add.at(dx, (sample, other), share)
    np.subtract.at(dx, (sample, t[sample]), share)
    return (dx,)
