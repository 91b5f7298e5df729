import numpy as np
import torch
from torch import Tensor


def kernel(x: np.ndarray, y: np.ndarray, scale: float) -> np.ndarray:
    """The value in NumPy. You need not change it."""
    return np.tanh(scale * np.outer(x, y))


def outer_tanh(x: Tensor, y: Tensor, scale: float) -> Tensor:
    raise NotImplementedError("make this an operator, and write its body")


# The fake and the backward pass follow here.
