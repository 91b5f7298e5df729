"""The cache is the factor of every entry: 0 or 1 / p in training, and 1 at test time."""

from typing import Any

import numpy as np


def dropout_forward(x: np.ndarray, dropout_param: dict[str, Any]) -> tuple[np.ndarray, Any]:
    if "seed" in dropout_param:
        np.random.seed(dropout_param["seed"])
    factor = np.ones(x.shape)
    if dropout_param["mode"] == "train":
        factor = (np.random.rand(*x.shape) < dropout_param["p"]) / dropout_param["p"]
    return x * factor, factor


def dropout_backward(dout: np.ndarray, cache: Any) -> np.ndarray:
    return dout * cache
