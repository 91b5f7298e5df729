"""The unit vectors have the length of the result instead of the argument."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        for i in range(n_in):
            e = np.zeros(n_out)
            e[i] = 1.0
            J[:, i] = jvp(e)
    else:
        for i in range(n_out):
            e = np.zeros(n_in)
            e[i] = 1.0
            J[i] = vjp(e)
    return J
