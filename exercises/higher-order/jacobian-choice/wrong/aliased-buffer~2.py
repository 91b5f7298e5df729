"""Copies row by row, but a single row or column is returned as a view of the array that jvp or vjp gave back."""

import numpy as np


def choose(n_in, n_out):
    return "reverse" if n_out < n_in else "forward"


def jacobian(jvp, vjp, n_in, n_out):
    if n_in == 1 and n_out >= 1:
        return jvp(np.ones(1)).reshape(n_out, 1)
    if n_out == 1 and n_in >= 1:
        return vjp(np.ones(1)).reshape(1, n_in)
    out = np.empty((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        for i in range(n_in):
            out[:, i] = jvp(np.eye(n_in)[i])
    else:
        for i in range(n_out):
            out[i, :] = vjp(np.eye(n_out)[i])
    return out
