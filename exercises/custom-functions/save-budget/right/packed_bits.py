"""Eight entries to a byte, through numpy; the others with setup in one line."""

import numpy as np
import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y = ctx.saved_tensors[0]
        return grad_output * (y - y * y)


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.bits = np.packbits((x > 0).numpy().reshape(-1)).tobytes()
        ctx.shape = x.shape
        return x * (x > 0)

    @staticmethod
    def backward(ctx, grad_output):
        n = ctx.shape.numel()
        bits = np.unpackbits(np.frombuffer(ctx.bits, dtype=np.uint8), count=n)
        mask = torch.from_numpy(bits.astype(bool)).reshape(ctx.shape)
        return grad_output.masked_fill(~mask, 0.0)


class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x.sigmoid()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = x.sigmoid()
        return grad_output * s * (1 + x * (1 - s))
