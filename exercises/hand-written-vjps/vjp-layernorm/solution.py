"""Layer norm. In the backward pass, the paths through the mean and the variance remove two components of each row."""

import numpy as np


def normalised(x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The normalised rows, and one over the standard deviation of each row."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt(variance + eps)
    return centred * inverse, inverse


def layernorm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, eps: float = 1e-5) -> np.ndarray:
    x_hat, _ = normalised(x, eps)
    return x_hat * gamma + beta


def layernorm_vjp(
    g: np.ndarray, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, inverse = normalised(x, eps)
    upstream = g * gamma
    through_mean = upstream.mean(axis=-1, keepdims=True)
    through_variance = x_hat * (upstream * x_hat).mean(axis=-1, keepdims=True)
    rows = tuple(range(x.ndim - 1))
    return inverse * (upstream - through_mean - through_variance), (g * x_hat).sum(axis=rows), g.sum(axis=rows)
