# Held out. Mistake: lam is kept on the class instead of on ctx, so every layer of a graph uses the lam of the latest call in its backward pass.
# True: state-on-class
import torch


class _Reverse(torch.autograd.Function):
    strength = 1.0

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -_Reverse.strength * g


def grad_reverse(x: torch.Tensor, lam: float) -> torch.Tensor:
    _Reverse.strength = lam
    return _Reverse.apply(x)
