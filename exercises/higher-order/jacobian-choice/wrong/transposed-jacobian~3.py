"""The reverse branch collects rows and transposes them, as the forward branch does with its columns."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in * n_out == 0:
        return np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        parts = [jvp(e).copy() for e in np.eye(n_in)]
    else:
        parts = [vjp(e).copy() for e in np.eye(n_out)]
    return np.stack(parts).T
