import numpy as np


def by_steps(upstream, forward, inputs):
    """A complex step in one entry after the other."""
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (upstream * forward(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)


def value(x, w, b):
    return x.reshape(len(x), -1) @ w + b


def affine_forward(x, w, b):
    return value(x, w, b), (x, w, b)


def affine_backward(dout, cache):
    return by_steps(dout, value, cache)
