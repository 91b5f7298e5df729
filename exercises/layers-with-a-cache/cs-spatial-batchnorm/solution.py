"""Batch norm with statistics over three axes; parameters and averages are spread over these axes."""

from typing import Any

import numpy as np

OVER = (0, 2, 3)


def spatial_batchnorm_forward(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, bn_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    if bn_param["mode"] == "train":
        statistics = {"running_mean": x.mean(axis=OVER), "running_var": x.var(axis=OVER)}
        momentum = bn_param.get("momentum", 0.9)
        for name, of_batch in statistics.items():
            bn_param[name] = momentum * bn_param.get(name, 0.0) + (1 - momentum) * of_batch
    else:
        statistics = bn_param
    deviation = np.sqrt(statistics["running_var"] + bn_param.get("eps", 1e-5))[:, None, None]
    x_hat = (x - statistics["running_mean"][:, None, None]) / deviation
    return gamma[:, None, None] * x_hat + beta[:, None, None], (x_hat, gamma[:, None, None] / deviation)


def spatial_batchnorm_backward(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_hat, slope = cache
    dgamma, dbeta = (dout * x_hat).sum(axis=OVER), dout.sum(axis=OVER)
    removed = (dbeta[:, None, None] + x_hat * dgamma[:, None, None]) / (x_hat.size // dgamma.size)
    return slope * (dout - removed), dgamma, dbeta
