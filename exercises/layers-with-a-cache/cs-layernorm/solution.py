"""The scale comes first; then the mean and the component along the normalised row are removed from each row."""

from typing import Any

import numpy as np


def layernorm_forward(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, ln_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + ln_param.get("eps", 1e-5))
    x_hat = (x - x.mean(axis=1, keepdims=True)) / deviation
    return gamma * x_hat + beta, (x_hat, gamma, deviation)


def layernorm_backward(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, gamma, deviation = cache
    upstream = dout * gamma
    through_variance = x_hat * (upstream * x_hat).mean(axis=1, keepdims=True)
    dx = (upstream - upstream.mean(axis=1, keepdims=True) - through_variance) / deviation
    return dx, (dout * x_hat).sum(axis=0), dout.sum(axis=0)
