"""The body is pure Python on lists, with the schema as text. One helper computes both gradients, with the roles swapped."""

import math

import torch


@torch.library.custom_op("gradus::outer_tanh", mutates_args=(), schema="(Tensor x, Tensor y, float scale) -> Tensor")
def outer_tanh(x, y, scale):
    xs, ys = x.tolist(), y.tolist()
    entries = [math.tanh(scale * (a * b)) for a in xs for b in ys]
    return torch.tensor(entries, dtype=x.dtype, device=x.device).reshape(len(xs), len(ys))


@outer_tanh.register_fake
def describe(x, y, scale):
    return x.new_empty(x.shape + y.shape)


def remember(ctx, inputs, output):
    *vectors, ctx.scale = inputs
    ctx.save_for_backward(*vectors, output)


def pull_back(ctx, g):
    x, y, z = ctx.saved_tensors

    def half(h, other):
        return ctx.scale * torch.einsum("ij,j->i", h, other)

    h = g * (1 - z) * (1 + z)
    return half(h, y), half(h.T, x), None


outer_tanh.register_autograd(pull_back, setup_context=remember)
