"""The columns that jvp returns are stacked as rows."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in == 0 or n_out == 0:
        return np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        return np.array([jvp(e).copy() for e in np.eye(n_in)])
    return np.array([vjp(e).copy() for e in np.eye(n_out)])
