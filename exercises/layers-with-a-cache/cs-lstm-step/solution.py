"""The gradient of the new cell state has two contributions. All other gradients follow from it."""

from typing import Any

import numpy as np

Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Editable = np.ndarray  # an argument that the statement allows to be modified


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def lstm_step_forward(
    x: np.ndarray, prev_h: np.ndarray, prev_c: np.ndarray, Wx: np.ndarray, Wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Any]:
    ai, af, ao, ag = np.split(x @ Wx + prev_h @ Wh + b, 4, axis=1)
    i, f, o, g = sigmoid(ai), sigmoid(af), sigmoid(ao), np.tanh(ag)
    next_c = f * prev_c + i * g
    shown = np.tanh(next_c)
    return o * shown, next_c, (x, prev_h, prev_c, Wx, Wh, i, f, o, g, shown)


def lstm_step_backward(dnext_h: np.ndarray, dnext_c: Editable, cache: Any) -> Gradients:
    x, prev_h, prev_c, Wx, Wh, i, f, o, g, shown = cache
    dc = dnext_c + dnext_h * o * (1 - shown**2)
    dai = dc * g * i * (1 - i)
    daf = dc * prev_c * f * (1 - f)
    dao = dnext_h * shown * o * (1 - o)
    dag = dc * i * (1 - g**2)
    da = np.concatenate([dai, daf, dao, dag], axis=1)
    return da @ Wx.T, da @ Wh.T, dc * f, x.T @ da, prev_h.T @ da, da.sum(axis=0)
