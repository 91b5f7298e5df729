"""In the backward pass, the paths through the mean and the variance remove two components of each column."""

from typing import Any

import numpy as np


def batchnorm_forward(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, bn_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    if bn_param["mode"] == "train":
        statistics = {"running_mean": x.mean(axis=0), "running_var": x.var(axis=0)}
        momentum = bn_param.get("momentum", 0.9)
        for name, of_batch in statistics.items():
            bn_param[name] = momentum * bn_param.get(name, 0.0) + (1 - momentum) * of_batch
    else:
        statistics = bn_param
    deviation = np.sqrt(statistics["running_var"] + bn_param.get("eps", 1e-5))
    x_hat = (x - statistics["running_mean"]) / deviation
    return gamma * x_hat + beta, (x_hat, gamma, deviation)


def batchnorm_backward(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, gamma, deviation = cache
    upstream = dout * gamma
    through_variance = x_hat * (upstream * x_hat).mean(axis=0)
    dx = (upstream - upstream.mean(axis=0) - through_variance) / deviation
    return dx, (dout * x_hat).sum(axis=0), dout.sum(axis=0)
