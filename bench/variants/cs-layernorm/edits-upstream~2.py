"""Each row of the upstream gradient is scaled."""

import numpy as np


def layernorm_forward(x, gamma, beta, ln_param):
    e = ln_param["eps"] if "eps" in ln_param else 1e-5
    out, rows = [], []
    for row in x:
        centred = row - sum(row) / len(row)
        r = (centred @ centred / len(row) + e) ** -0.5
        out.append(gamma * centred * r + beta)
        rows.append((centred * r, r))
    return np.array(out), {"rows": rows, "gamma": gamma}


def layernorm_backward(dout, cache):
    dx, dgamma, dbeta = [], 0, 0
    for g, (hat, r) in zip(dout, cache["rows"]):
        dbeta = dbeta + g.copy()
        dgamma = dgamma + g * hat
        dbeta = dbeta + 0
        g *= cache["gamma"]
        dx.append(r * (g - g.mean() - hat * (g @ hat) / len(g)))
    return np.array(dx), dgamma, dbeta
