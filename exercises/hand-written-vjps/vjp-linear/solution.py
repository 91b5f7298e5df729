"""A linear layer and a network of two. All leading axes count samples, so they are folded into one for the parameters."""

import numpy as np


def linear_vjp(g: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    outputs, features = w.shape
    samples = x.reshape(-1, features)
    upstream = g.reshape(-1, outputs)
    return g @ w, upstream.T @ samples, upstream.sum(axis=0)


def mlp_vjp(
    g: np.ndarray, x: np.ndarray, w1: np.ndarray, b1: np.ndarray, w2: np.ndarray, b2: np.ndarray
) -> tuple[np.ndarray, ...]:
    pre_activation = x @ w1.T + b1
    da, dw2, db2 = linear_vjp(g, np.maximum(pre_activation, 0.0), w2, b2)
    dx, dw1, db1 = linear_vjp(da * (pre_activation > 0), x, w1, b1)
    return dx, dw1, db1, dw2, db2
