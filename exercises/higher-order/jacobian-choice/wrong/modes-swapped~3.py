"""choose is right, but jacobian passes it the two sizes in the wrong order."""

import numpy as np


def choose(n_in, n_out):
    return "reverse" if n_in > n_out else "forward"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if 0 in (n_in, n_out):
        return J
    if choose(n_out, n_in) == "forward":
        J[...] = np.stack([jvp(e).copy() for e in np.eye(n_in)], 1)
    else:
        J[...] = np.stack([vjp(e).copy() for e in np.eye(n_out)])
    return J
