"""Where there are no outputs, every column is still asked for."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    mode = choose(n_in, n_out)
    if n_out == 0:
        mode = "forward"
    if mode == "forward":
        for i, e in enumerate(np.eye(n_in)):
            J[:, i] = jvp(e)
    else:
        for i, e in enumerate(np.eye(n_out)):
            J[i] = vjp(e)
    return J
