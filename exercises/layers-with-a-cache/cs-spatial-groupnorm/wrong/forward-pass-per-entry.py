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


def value(x, gamma, beta, groups, eps):
    rows = x.reshape(len(x) * groups, -1)
    centred = rows - rows.mean(axis=1, keepdims=True)
    root = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps)
    return gamma * (centred / root).reshape(x.shape) + beta


def spatial_groupnorm_forward(x, gamma, beta, G, gn_param):
    settings = G, gn_param.get("eps", 1e-5)
    return value(x, gamma, beta, *settings), ((x, gamma, beta), settings)


def spatial_groupnorm_backward(dout, cache):
    inputs, settings = cache
    return by_steps(dout, lambda *values: value(*values, *settings), inputs)
