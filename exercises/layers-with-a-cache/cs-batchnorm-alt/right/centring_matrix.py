"""Centring as a product with a matrix; another function of the file is unfinished."""

import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    n = x.shape[0]
    centring = np.eye(n) - np.full((n, n), 1.0 / n)
    xc = centring @ x
    root = np.sqrt(np.einsum("nd,nd->d", xc, xc) / n + bn_param.get("eps", 1e-5))
    return gamma * xc / root + beta, (centring, xc, root, gamma)


def batchnorm_backward_alt(dout, cache):
    centring, xc, root, gamma = cache
    dgamma = np.einsum("nd,nd->d", dout, xc) / root
    along = xc * (dgamma / (len(xc) * root))
    dx = (centring @ dout - along) * (gamma / root)
    return dx, dgamma, np.ones(len(dout)) @ dout


def batchnorm_backward(dout, cache):
    raise NotImplementedError
