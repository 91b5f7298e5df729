"""The backward pass is declared to be not differentiable."""

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def kernel(x: np.ndarray, y: np.ndarray, scale: float) -> np.ndarray:
    return np.tanh(scale * np.outer(x, y))


@torch.library.custom_op("gradus::outer_tanh", mutates_args=())
def outer_tanh(x: Tensor, y: Tensor, scale: float) -> Tensor:
    return torch.from_numpy(kernel(x.numpy(), y.numpy(), scale))


@outer_tanh.register_fake
def fake(x: Tensor, y: Tensor, scale: float) -> Tensor:
    return x.new_empty(x.shape[0], y.shape[0])


def setup_context(ctx, inputs, output):
    x, y, scale = inputs
    ctx.save_for_backward(x, y, output)
    ctx.scale = scale


@once_differentiable
def backward(ctx, g):
    x, y, z = ctx.saved_tensors
    h = ctx.scale * g * (1 - z * z)
    return h @ y, h.T @ x, None


outer_tanh.register_autograd(backward, setup_context=setup_context)
