"""A first call finds out the size and the dtype of the result, and its numbers are then computed again."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in == 0 or n_out == 0:
        return np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        rows = len(jvp(np.zeros(n_in)))
        J = np.empty((rows, n_in))
        for i in range(n_in):
            e = np.zeros(n_in)
            e[i] = 1.0
            J[:, i] = jvp(e)
    else:
        columns = len(vjp(np.zeros(n_out)))
        J = np.empty((n_out, columns))
        for i in range(n_out):
            e = np.zeros(n_out)
            e[i] = 1.0
            J[i] = vjp(e)
    return J
