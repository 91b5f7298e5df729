import numpy as np


def spatial_batchnorm_forward(x, gamma, beta, bn_param):
    """Batch normalisation of the channels of x (N, C, H, W). Returns (out, cache).

    bn_param has "mode" ("train" or "test") and may have "eps", "momentum", "running_mean" and "running_var".
    In training, the running averages in it are updated.
    """
    raise NotImplementedError("your part")


def spatial_batchnorm_backward(dout, cache):
    """(dx, dgamma, dbeta) for the upstream gradient dout of shape (N, C, H, W), after a forward pass in training."""
    raise NotImplementedError("your part")
