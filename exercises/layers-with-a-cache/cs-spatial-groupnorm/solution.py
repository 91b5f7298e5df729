"""The entries of a group are a row; the parameters belong to the image."""

from typing import Any

import numpy as np


def spatial_groupnorm_forward(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, G: int, gn_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    rows = x.reshape(x.shape[0] * G, -1)
    deviation = np.sqrt(rows.var(axis=1, keepdims=True) + gn_param.get("eps", 1e-5))
    x_hat = (rows - rows.mean(axis=1, keepdims=True)) / deviation
    return gamma * x_hat.reshape(x.shape) + beta, (x_hat, gamma, deviation)


def spatial_groupnorm_backward(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, gamma, deviation = cache
    upstream = (dout * gamma).reshape(x_hat.shape)
    through_variance = x_hat * (upstream * x_hat).mean(axis=1, keepdims=True)
    dx = (upstream - upstream.mean(axis=1, keepdims=True) - through_variance) / deviation
    dgamma = (dout * x_hat.reshape(dout.shape)).sum(axis=(0, 2, 3), keepdims=True)
    return dx.reshape(dout.shape), dgamma, dout.sum(axis=(0, 2, 3), keepdims=True)
