"""An autograd Function, and no operator."""

import numpy as np
import torch


class OuterTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale):
        z = torch.from_numpy(np.tanh(scale * np.outer(x.numpy(), y.numpy())))
        ctx.save_for_backward(x, y, z)
        ctx.scale = scale
        return z

    @staticmethod
    def backward(ctx, g):
        x, y, z = ctx.saved_tensors
        h = ctx.scale * g * (1 - z * z)
        return h @ y, h.T @ x, None


outer_tanh = OuterTanh.apply
