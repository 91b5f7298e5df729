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


def sigmoid(z):
    return (1 + np.tanh(z / 2)) / 2


def value(x, prev_h, prev_c, Wx, Wh, b):
    i, f, o, g = np.split(x @ Wx + prev_h @ Wh + b, 4, axis=1)
    next_c = sigmoid(f) * prev_c + sigmoid(i) * np.tanh(g)
    return np.stack([sigmoid(o) * np.tanh(next_c), next_c])


def lstm_step_forward(*inputs):
    next_h, next_c = value(*inputs)
    return next_h, next_c, inputs


def lstm_step_backward(dnext_h, dnext_c, cache):
    return by_steps(np.stack([dnext_h, dnext_c]), value, cache)
