"""The pre-activation is a sum of three terms, and the cache has everything that the four products need."""

from typing import Any

import numpy as np

Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def rnn_step_forward(
    x: np.ndarray, prev_h: np.ndarray, Wx: np.ndarray, Wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, Any]:
    next_h = np.tanh(x @ Wx + prev_h @ Wh + b)
    return next_h, (x, prev_h, Wx, Wh, next_h)


def rnn_step_backward(dnext_h: np.ndarray, cache: Any) -> Gradients:
    x, prev_h, Wx, Wh, next_h = cache
    da = dnext_h * (1 - next_h**2)
    return da @ Wx.T, da @ Wh.T, x.T @ da, prev_h.T @ da, da.sum(axis=0)
