"""The Jacobian is checked once with the other mode before it is returned."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if J.size == 0:
        return J
    if choose(n_in, n_out) == "forward":
        for i, e in enumerate(np.eye(n_in)):
            J[:, i] = jvp(e)
    else:
        for i, e in enumerate(np.eye(n_out)):
            J[i] = vjp(e)
    g, v = np.ones(n_out), np.ones(n_in)
    if not np.isclose(g @ jvp(v), g @ J @ v):
        raise ValueError("jvp and vjp do not belong to the same function")
    return J
