import numpy as np


def states(x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The initial state and the states after each step, stacked."""
    h = [h0]
    for inputs in x:
        h.append(np.tanh(inputs @ wx + h[-1] @ wh + b))
    return np.array(h)


def rnn(x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> np.ndarray:
    return states(x, h0, wx, wh, b)[1:]


def rnn_vjp(g, *inputs):
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (g * rnn(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)
