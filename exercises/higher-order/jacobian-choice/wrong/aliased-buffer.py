"""Collects the returned arrays in a list and stacks them at the end, when all of them are the same array."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in == 0 or n_out == 0:
        return np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        return np.stack([jvp(e) for e in np.eye(n_in)], axis=1)
    return np.stack([vjp(e) for e in np.eye(n_out)])
