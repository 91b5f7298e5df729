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


def value(x, prev_h, Wx, Wh, b):
    return np.tanh(x @ Wx + prev_h @ Wh + b)


def rnn_step_forward(*inputs):
    return value(*inputs), inputs


def rnn_step_backward(dnext_h, cache):
    return by_steps(dnext_h, value, cache)
