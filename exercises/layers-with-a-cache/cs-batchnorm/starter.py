import numpy as np


def batchnorm_forward(x, gamma, beta, bn_param):
    """Batch normalisation of the columns of x (N, D). Returns (out, cache).

    bn_param has "mode" ("train" or "test") and may have "eps", "momentum", "running_mean" and "running_var".
    In training, the running averages in it are updated.
    """
    mode = bn_param["mode"]
    eps = bn_param.get("eps", 1e-5)
    momentum = bn_param.get("momentum", 0.9)
    running_mean = bn_param.get("running_mean", np.zeros(x.shape[1]))
    running_var = bn_param.get("running_var", np.zeros(x.shape[1]))
    raise NotImplementedError("your part")


def batchnorm_backward(dout, cache):
    """(dx, dgamma, dbeta) for the upstream gradient dout of shape (N, D), after a forward pass in training."""
    raise NotImplementedError("your part")
