import numpy as np


def layernorm(x, gamma, beta, *, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + eps) * gamma + beta


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    gradients = []
    inputs = [np.array(value, dtype=complex) for value in (x, gamma, beta)]
    for value in inputs:
        gradient = np.zeros(value.shape)
        for place in np.ndindex(value.shape):
            value[place] += 1e-30j
            gradient[place] = (g * layernorm(*inputs, eps=eps).imag).sum() / 1e-30
            value[place] = value[place].real
        gradients.append(gradient)
    return tuple(gradients)
