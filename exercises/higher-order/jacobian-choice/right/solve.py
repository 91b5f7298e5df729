"""Other probes than unit vectors: any invertible matrix of them, and a linear solve."""

import numpy as np


def choose(n_in, n_out):
    return ["reverse", "forward"][n_out > n_in]


def jacobian(jvp, vjp, n_in, n_out):
    if not n_in or not n_out:
        return np.empty((n_out, n_in))
    n = min(n_in, n_out)
    probes = np.eye(n) * 3 + np.random.default_rng(7).normal(size=(n, n)) / n
    product = jvp if choose(n_in, n_out) == "forward" else vjp
    found = np.linalg.solve(probes, np.array([product(row) + 0.0 for row in probes]))
    return found.T if product is jvp else found
