"""An empty list becomes an array with one axis, and transposing it changes nothing."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if choose(n_in, n_out) == "forward":
        return np.array([jvp(e).copy() for e in np.eye(n_in)], dtype=float).T
    return np.array([vjp(e).copy() for e in np.eye(n_out)], dtype=float)
