"""asarray looks like a copy, but returns the same array."""

import numpy as np


def choose(n_in, n_out):
    if n_in <= n_out:
        return "forward"
    return "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    forward = choose(n_in, n_out) == "forward"
    n = n_in if forward else n_out
    vectors = []
    for i in range(n):
        e = np.zeros(n)
        e[i] = 1.0
        vectors.append(np.asarray(jvp(e) if forward else vjp(e), dtype=float))
    J = np.array(vectors).reshape(n, n_out if forward else n_in)
    return J.T if forward else J
