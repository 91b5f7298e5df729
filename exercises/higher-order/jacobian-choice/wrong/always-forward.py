"""Column by column, whatever the shape."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in <= n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if J.size:
        for i, e in enumerate(np.eye(n_in)):
            J[:, i] = jvp(e)
    return J
