# Held out. Mistake: Clips the upstream gradient to [-1, 1] instead of masking it where |x| > 1
# True: missing-clip-mask
import torch


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        # straight through, clipped to [-1, 1]
        return torch.clamp(grad_output, -1.0, 1.0)


round_ste = RoundSTE.apply
sign_ste = SignSTE.apply
