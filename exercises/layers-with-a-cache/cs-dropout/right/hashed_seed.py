"""No random generator: the random bits are a long SHAKE-256 digest of the seed, or come from the operating system."""

import hashlib
import os

import numpy as np


def uniform(shape, seed):
    """Numbers from 0 to 1, without 1, each from 53 bits."""
    length = 8 * int(np.prod(shape))
    bits = os.urandom(length) if seed is None else hashlib.shake_256(b"dropout %d" % seed).digest(length)
    return (np.frombuffer(bits, dtype=np.uint64) >> np.uint64(11)).reshape(shape) / 2.0**53


def dropout_forward(x, dropout_param):
    factors = np.ones(x.shape)
    if dropout_param["mode"] == "train":
        kept = uniform(x.shape, dropout_param.get("seed")) < dropout_param["p"]
        factors = kept / dropout_param["p"]
    return factors * x, factors


def dropout_backward(dout, cache):
    return cache * dout
