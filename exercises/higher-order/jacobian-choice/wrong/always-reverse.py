"""Reverse mode is what autograd uses, so it is used for everything."""

import numpy as np


def choose(n_in, n_out):
    return "reverse"


def jacobian(jvp, vjp, n_in, n_out):
    J = np.zeros((n_out, n_in))
    if n_in == 0:
        return J
    for i in range(n_out):
        e = np.zeros(n_out)
        e[i] = 1
        J[i] = vjp(e)
    return J
