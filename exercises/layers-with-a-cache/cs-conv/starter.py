import numpy as np


def conv_forward_naive(x, w, b, conv_param):
    """The convolution of images x (N, C, H, W) with filters w (F, C, K_h, K_w) and biases b (F,).

    conv_param has "stride" and "pad". Returns (out, cache), where out has shape (N, F, H', W').
    """
    stride, pad = conv_param["stride"], conv_param["pad"]
    raise NotImplementedError("your part")


def conv_backward_naive(dout, cache):
    """(dx, dw, db) for the upstream gradient dout of shape (N, F, H', W')."""
    raise NotImplementedError("your part")
