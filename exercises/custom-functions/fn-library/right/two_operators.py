"""The backward pass is an operator of its own, also in NumPy, with a fake and a backward pass."""

import numpy as np
import torch
from torch import Tensor


@torch.library.custom_op("gradus::outer_tanh", mutates_args=())
def outer_tanh(x: Tensor, y: Tensor, scale: float) -> Tensor:
    return torch.tensor(np.tanh(scale * np.outer(x, y)))


@torch.library.custom_op("gradus::slope", mutates_args=())
def slope(g: Tensor, z: Tensor) -> Tensor:
    g, z = g.numpy(), z.numpy()
    return torch.from_numpy(g * (1 - z) * (1 + z))


@outer_tanh.register_fake
def _(x, y, scale):
    return x[:, None] * y[None, :]


@slope.register_fake
def _(g, z):
    return torch.empty_like(g)


def setup_slope(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward_of_slope(ctx, g):
    upstream, z = ctx.saved_tensors
    return g * (1 - z * z), -2 * g * upstream * z


slope.register_autograd(backward_of_slope, setup_context=setup_slope)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:2], output)
    ctx.scale = inputs[2]


def backward(ctx, g):
    x, y, z = ctx.saved_tensors
    h = slope(g, z) * ctx.scale
    return h.matmul(y), x.matmul(h), None


outer_tanh.register_autograd(backward, setup_context=setup_context)
