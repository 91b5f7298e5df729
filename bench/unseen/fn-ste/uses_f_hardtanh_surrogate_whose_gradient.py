# Held out. Mistake: Uses F.hardtanh as the surrogate, whose gradient at exactly x = 1 and x = -1 is 0
# True: wrong-kink-value
import torch
import torch.nn.functional as F


def round_ste(x: torch.Tensor) -> torch.Tensor:
    r = torch.round(x).detach()
    return r + (x - x.detach())


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    surrogate = F.hardtanh(x)                       # x clipped to [-1, 1]
    sign = (x >= 0).to(x.dtype) * 2 - 1
    return sign + (surrogate - surrogate.detach())
