"""The unit vector is reused without setting the previous entry back to 0, so the columns are running sums."""

import numpy as np


def choose(n_in, n_out):
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    out = np.zeros((n_out, n_in))
    if n_in < n_out:
        v = np.zeros(n_in)
        for i in range(n_in):
            v[i] = 1.0
            out[:, i] = jvp(v)
        return out
    g = np.zeros(n_out)
    for j in range(n_out):
        g[j] = 1.0
        out[j, :] = vjp(g)
    return out
