"""The gradient passes where the input is positive."""

from typing import Any

import numpy as np


def relu_forward(x: np.ndarray) -> tuple[np.ndarray, Any]:
    return np.maximum(x, 0), x


def relu_backward(dout: np.ndarray, cache: Any) -> np.ndarray:
    return dout * (cache > 0)
