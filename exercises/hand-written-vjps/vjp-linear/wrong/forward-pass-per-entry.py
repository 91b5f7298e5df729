import numpy as np


def linear_vjp(g, x, w, b):
    rows, upstream = x.reshape(-1, w.shape[1]), g.reshape(-1, w.shape[0])
    return g @ w, upstream.T @ rows, upstream.sum(axis=0)


def network(x, w1, b1, w2, b2):
    before = x @ w1.T + b1
    return before * (before.real > 0) @ w2.T + b2


def mlp_vjp(g, *inputs):
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (g * network(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)
