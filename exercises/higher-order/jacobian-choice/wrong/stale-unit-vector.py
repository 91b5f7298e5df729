"""One vector is reused, but its entries are not set back to 0."""

import numpy as np


def choose(n_in, n_out):
    if n_in > n_out:
        return "reverse"
    return "forward"


def jacobian(jvp, vjp, n_in, n_out):
    forward = choose(n_in, n_out) == "forward"
    e = np.zeros(n_in if forward else n_out)
    J = np.zeros((n_out, n_in))
    for i in range(len(e)):
        e[i] = 1.0
        if forward:
            J[:, i] = jvp(e)
        else:
            J[i] = vjp(e)
    return J
