# Held out. Mistake: sign_ste clamps the upstream gradient to [-1, 1] instead of blocking it where |x| > 1.
# True: missing-clip-mask
import torch


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad.clone()


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        one = torch.ones_like(x)
        return torch.where(x < 0, -one, one)

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(min=-1, max=1)


def round_ste(x: torch.Tensor) -> torch.Tensor:
    return RoundSTE.apply(x)


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    return SignSTE.apply(x)
