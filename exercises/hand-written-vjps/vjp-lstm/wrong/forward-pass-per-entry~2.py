"""Forward mode: a tangent for every entry of every input goes along with the states. The gradients are sums at the end."""

import numpy as np


def logistic(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0, e) / (1.0 + e)


def run(x, h, c, wx, wh, b, tangents=None):
    """All hidden states and the last cell state. With tangents also theirs, along a new first axis."""
    size = wh.shape[0]
    dh = dc = None
    if tangents is not None:
        tx, dh, dc, twx, twh, tb = tangents
    states, moves = [], []
    for t in range(x.shape[0]):
        a = x[t] @ wx + h @ wh + b
        i, f, o = (logistic(a[:, k * size : (k + 1) * size]) for k in (0, 1, 3))
        u = np.tanh(a[:, 2 * size : 3 * size])
        new = f * c + i * u
        if tangents is not None:
            da = tx[:, t] @ wx + x[t] @ twx + dh @ wh + h @ twh + tb[:, None, :]
            di, df, du, do = (da[:, :, k * size : (k + 1) * size] for k in range(4))
            dc = df * f * (1 - f) * c + f * dc + di * i * (1 - i) * u + i * du * (1 - u * u)
            dh = do * o * (1 - o) * np.tanh(new) + o * dc * (1 - np.tanh(new) ** 2)
            moves.append(dh)
        c, h = new, o * np.tanh(new)
        states.append(h)
    return states, c, moves, dc


def lstm(x, h0, c0, wx, wh, b):
    states, c, _, _ = run(x, h0, c0, wx, wh, b)
    return np.array(states).reshape((len(x),) + h0.shape), c


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    inputs = (x, h0, c0, wx, wh, b)
    result = []
    for place, value in enumerate(inputs):
        tangents = [np.zeros((value.size,) + other.shape) for other in inputs]
        tangents[place] = np.eye(value.size).reshape((value.size,) + value.shape)
        _, _, moves, dc = run(*inputs, tangents)
        total = np.einsum("nh,knh->k", gc, dc)
        for upstream, dh in zip(g, moves):
            total = total + np.einsum("nh,knh->k", upstream, dh)
        result.append(total.reshape(value.shape))
    return tuple(result)


def lstm_step(x, h, c, wx, wh, b):
    hidden, cell = lstm(x[np.newaxis], h, c, wx, wh, b)
    return hidden[0], cell


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    dx, *rest = lstm_vjp(gh[np.newaxis], gc, x[np.newaxis], h, c, wx, wh, b)
    return (dx[0], *rest)
