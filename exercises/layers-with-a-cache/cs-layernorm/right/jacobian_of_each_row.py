"""A Jacobian for each row; another function of the file is unfinished."""

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    raise NotImplementedError


def layernorm_forward(x, gamma, beta, ln_param):
    d = x.shape[1]
    centring = np.identity(d) - 1 / d
    c = x @ centring
    root = np.sqrt((c * c).sum(axis=1) / d + ln_param.get("eps", 1e-5))
    return c / root[:, None] * gamma + beta, (c, root, gamma, centring)


def layernorm_backward(dout, cache):
    c, root, gamma, centring = cache
    d = len(gamma)
    dgamma = np.einsum("nd,nd,n->d", dout, c, 1 / root)
    jacobians = np.identity(d) - np.einsum("ni,nj,n->nij", c, c, 1 / (d * root**2))
    dx = np.einsum("ni,nij,n->nj", dout * gamma, jacobians, 1 / root) @ centring
    return [dx, dgamma, np.einsum("nd->d", dout)]
