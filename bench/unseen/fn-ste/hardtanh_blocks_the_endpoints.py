# Held out. Mistake: hardtanh is the surrogate of the sign, and its gradient is 0 at exactly -1 and 1, where the upstream gradient has to pass.
# True: wrong-kink-value
import torch
import torch.nn.functional as F


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


def round_ste(x: torch.Tensor) -> torch.Tensor:
    return _Round.apply(x)


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    soft = F.hardtanh(x)
    sign = torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x)).detach()
    return sign + (soft - soft.detach())
