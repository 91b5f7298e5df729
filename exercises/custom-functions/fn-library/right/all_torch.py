"""The body and the fake are the same PyTorch code. The backward pass computes everything again from the inputs."""

import torch


def compute(x, y, scale):
    return torch.tanh(scale * x[:, None] * y)


outer_tanh = torch.library.custom_op(
    "gradus::outer_tanh", compute, mutates_args=(), schema="(Tensor x, Tensor y, float scale) -> Tensor"
)
outer_tanh.register_fake(compute)


def setup_context(ctx, inputs, output):
    *tensors, ctx.scale = inputs
    ctx.save_for_backward(*tensors)


def backward(ctx, g):
    x, y = ctx.saved_tensors
    slope = g / torch.cosh(ctx.scale * torch.outer(x, y)) ** 2
    dx = (slope * y).sum(1) * ctx.scale if ctx.needs_input_grad[0] else None
    dy = (slope * x[:, None]).sum(0) * ctx.scale if ctx.needs_input_grad[1] else None
    return dx, dy, None


outer_tanh.register_autograd(backward, setup_context=setup_context)
