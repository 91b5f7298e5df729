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


def value(x, gamma, beta, eps):
    centred = x - x.mean(axis=1, keepdims=True)
    return gamma * centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps) + beta


def layernorm_forward(x, gamma, beta, ln_param):
    eps = ln_param.get("eps", 1e-5)
    return value(x, gamma, beta, eps), (x, gamma, beta, eps)


def layernorm_backward(dout, cache):
    *inputs, eps = cache
    return by_steps(dout, lambda *values: value(*values, eps), inputs)
