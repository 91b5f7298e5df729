"""The names are swapped in choose only: jacobian makes its own, right comparison."""

import numpy as np


def choose(n_in, n_out):
    # forward mode goes from few outputs to many inputs
    if n_out < n_in:
        return "forward"
    return "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if n_in <= n_out:
        for i in range(n_in):
            e = np.zeros(n_in)
            e[i] = 1.0
            J[:, i] = jvp(e)
    else:
        for i in range(n_out):
            e = np.zeros(n_out)
            e[i] = 1.0
            J[i] = vjp(e)
    return J
