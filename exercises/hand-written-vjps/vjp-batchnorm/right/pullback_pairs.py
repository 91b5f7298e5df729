"""Functional: every step returns its value together with its pullback, and a mode is a list of steps.
The channel axis goes to the end, where all arrays of shape (C,) broadcast."""

from functools import reduce

import numpy as np


def total(x):
    return x.sum(axis=tuple(range(x.ndim - 1)))


def mean(x):
    return total(x) / (x.size // x.shape[-1])


def centre(x):
    return x - mean(x), lambda g: g - mean(g)


def standardise(eps):
    def step(u):
        s = np.sqrt(mean(u * u) + eps)
        return u / s, lambda g: g / s - u * mean(g * u) / s**3

    return step


def affine(shift, s):
    return lambda x: ((x - shift) / s, lambda g: g / s)


def run(x, steps):
    """The value after all steps, and the composition of their pullbacks."""
    pullbacks = []
    for step in steps:
        x, pullback = step(x)
        pullbacks.insert(0, pullback)
    return x, lambda g: reduce(lambda h, pullback: pullback(h), pullbacks, g)


def normalised(x, running_mean, running_var, training, eps):
    steps = [centre, standardise(eps)] if training else [affine(running_mean, np.sqrt(running_var + eps))]
    return run(np.moveaxis(x, 1, -1), steps)


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    x_hat, _ = normalised(x, running_mean, running_var, training, eps)
    y = np.moveaxis(gamma * x_hat + beta, -1, 1)
    if not training:
        return y, running_mean, running_var
    channels_last = np.moveaxis(x, 1, -1)
    deviations, _ = centre(channels_last)
    unbiased = total(deviations**2) / (x.size // x.shape[1] - 1)

    def drift(old, new):
        return (1 - momentum) * old + momentum * new

    return y, drift(running_mean, mean(channels_last)), drift(running_var, unbiased)


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    x_hat, pullback = normalised(x, running_mean, running_var, training, eps)
    g = np.moveaxis(g, 1, -1)
    return np.moveaxis(pullback(gamma * g), -1, 1), total(g * x_hat), total(g)
