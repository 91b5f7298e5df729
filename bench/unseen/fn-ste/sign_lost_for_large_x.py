# Held out. Mistake: the value of sign_ste is computed as x + (sign - x), which rounds to 0 instead of 1 or -1 when x is very large
# True: forward-changed
import torch


def round_ste(x: torch.Tensor) -> torch.Tensor:
    """torch.round(x), with a gradient that passes through unchanged."""
    return x + (torch.round(x) - x).detach()


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    """+1 for x >= 0 and -1 otherwise, with a gradient that passes where |x| <= 1."""
    sign = torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))
    # the numbers of x everywhere, but with a gradient only inside [-1, 1]
    gated = torch.where(x.abs() <= 1, x, x.detach())
    return gated + (sign - x).detach()
