"""Each column of dx is the upstream gradient without its mean and without its component along the normalised column."""

from typing import Any

import numpy as np


def batchnorm_forward(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, bn_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    deviation = np.sqrt(x.var(axis=0) + bn_param.get("eps", 1e-5))
    x_hat = (x - x.mean(axis=0)) / deviation
    return gamma * x_hat + beta, (x_hat, gamma / deviation)


def batchnorm_backward_alt(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, slope = cache
    dgamma, dbeta = (dout * x_hat).sum(axis=0), dout.sum(axis=0)
    return slope * (dout - (dbeta + x_hat * dgamma) / dout.shape[0]), dgamma, dbeta
