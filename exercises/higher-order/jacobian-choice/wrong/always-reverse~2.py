"""choose is right, but jacobian never asks it."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in == 0 or n_out == 0:
        return np.empty((n_out, n_in))
    return np.stack([vjp(e).copy() for e in np.eye(n_out)])
