"""Inputs first, outputs second, in both modes."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_in, n_out))
    if choose(n_in, n_out) == "forward":
        for i in range(n_in):
            J[i] = jvp(np.eye(n_in)[i])
    else:
        for j in range(n_out):
            J[:, j] = vjp(np.eye(n_out)[j])
    return J
