"""The sign of the output is 1 or 0."""

import numpy as np


def relu_forward(x):
    """Positive part."""
    flat = [entry if entry > 0 else 0.0 for entry in x.flatten()]
    out = np.array(flat).reshape(x.shape)
    return out, out


def relu_backward(dout, cache):
    return np.copysign(dout, dout) * np.sign(cache)
