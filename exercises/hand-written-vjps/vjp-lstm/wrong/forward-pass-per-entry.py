import numpy as np

Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def sigmoid(a: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(a / 2)) / 2


def gates(x: np.ndarray, h: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    i, f, u, o = np.split(x @ wx + h @ wh + b, 4, axis=1)
    return sigmoid(i), sigmoid(f), np.tanh(u), sigmoid(o)


def lstm_step(
    x: np.ndarray, h: np.ndarray, c: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    i, f, u, o = gates(x, h, wx, wh, b)
    after = f * c + i * u
    return o * np.tanh(after), after


def lstm_step_vjp(
    gh: np.ndarray,
    gc: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    c: np.ndarray,
    wx: np.ndarray,
    wh: np.ndarray,
    b: np.ndarray,
) -> Gradients:
    i, f, u, o = gates(x, h, wx, wh, b)
    squashed = np.tanh(f * c + i * u)
    dafter = gc + gh * o * (1 - squashed**2)
    of_gates = dafter * u * i * (1 - i), dafter * c * f * (1 - f), dafter * i * (1 - u**2), gh * squashed * o * (1 - o)
    da = np.concatenate(of_gates, axis=1)
    return da @ wx.T, da @ wh.T, dafter * f, x.T @ da, h.T @ da, da.sum(axis=0)


def lstm(
    x: np.ndarray, h0: np.ndarray, c0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    h, c = h0, c0
    hidden = np.zeros((len(x), *h0.shape), h0.dtype)
    for t in range(len(x)):
        h, c = lstm_step(x[t], h, c, wx, wh, b)
        hidden[t] = h
    return hidden, c


def lstm_vjp(g, gc, *inputs):
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            h, c = lstm(*inputs)
            gradient[place] = ((g * h.imag).sum() + (gc * c.imag).sum()) / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)
