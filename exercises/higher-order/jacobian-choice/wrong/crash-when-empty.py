"""np.stack needs at least one array."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if choose(n_in, n_out) == "forward":
        return np.stack([jvp(e).copy() for e in np.eye(n_in)], axis=1)
    return np.stack([vjp(e).copy() for e in np.eye(n_out)], axis=0)
