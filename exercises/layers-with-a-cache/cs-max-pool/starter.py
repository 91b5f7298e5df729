import numpy as np


def max_pool_forward_naive(x, pool_param):
    """The largest entry of each window of the images x (N, C, H, W).

    pool_param has "pool_height", "pool_width" and "stride". Returns (out, cache), where out has shape (N, C, H', W').
    """
    height, width, stride = pool_param["pool_height"], pool_param["pool_width"], pool_param["stride"]
    raise NotImplementedError("your part")


def max_pool_backward_naive(dout, cache):
    """The gradient dx for the upstream gradient dout of shape (N, C, H', W'), an array shaped like x."""
    raise NotImplementedError("your part")
