"""Plain lists of floats, put together at the end."""

import numpy as np


def choose(n_in, n_out):
    return min((n_in, "forward"), (n_out, "reverse"))[1]


def jacobian(jvp, vjp, n_in, n_out):
    if choose(n_in, n_out) == "forward":
        columns = [jvp(np.array([float(i == j) for j in range(n_in)])).tolist() for i in range(n_in)]
        rows = [[column[i] for column in columns] for i in range(n_out)]
    else:
        rows = [vjp(np.array([float(i == j) for j in range(n_out)])).tolist() for i in range(n_out)]
    return np.array(rows, dtype=np.float64).reshape(n_out, n_in)
