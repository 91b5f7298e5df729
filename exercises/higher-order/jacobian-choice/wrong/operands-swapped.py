"""jvp and vjp are confused: the rows come from jvp and the columns from vjp."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        for i, e in enumerate(np.eye(n_in)):
            J[:, i] = vjp(e)
    else:
        for i, e in enumerate(np.eye(n_out)):
            J[i] = jvp(e)
    return J
