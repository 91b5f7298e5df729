"""One column at a time, with its Jacobian."""

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    eps = bn_param["eps"] if "eps" in bn_param else 0.00001
    if bn_param["mode"] == "test":
        scale = gamma / (bn_param["running_var"] + eps) ** 0.5
        return x * scale + (beta - bn_param["running_mean"] * scale), None
    keep = bn_param["momentum"] if "momentum" in bn_param else 0.9
    out, columns = np.empty(x.shape), []
    for name in ("running_mean", "running_var"):
        bn_param.setdefault(name, np.zeros(len(gamma)))
        bn_param[name] *= keep
    for d, column in enumerate(x.T):
        m, v = np.average(column), np.var(column)
        bn_param["running_mean"][d] += (1 - keep) * m
        bn_param["running_var"][d] += (1 - keep) * v
        r = (v + eps) ** -0.5
        hat = (column - m) * r
        out[:, d] = gamma[d] * hat + beta[d]
        columns.append((hat, gamma[d], r))
    return out, columns


def batchnorm_backward_alt(dout, cache):
    dx, dgamma, dbeta = np.empty(dout.shape), [], []
    for d, (hat, gamma, r) in enumerate(cache):
        g = dout[:, d]
        n = len(g)
        jacobian = np.eye(n) - 1 / n - np.outer(hat, hat) / n
        dx[:, d] = gamma * r * (jacobian @ g)
        dgamma.append(g @ hat)
        dbeta.append(g.sum())
    return dx, np.array(dgamma), np.array(dbeta)
