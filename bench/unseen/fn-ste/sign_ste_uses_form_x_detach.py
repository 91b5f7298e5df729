# Held out. Mistake: sign_ste uses the form x + (sign - x).detach(), which loses the sign to rounding for large |x| (for 1e17 the value is 0)
# True: forward-changed
import torch


def round_ste(x: torch.Tensor) -> torch.Tensor:
    return x + (torch.round(x) - x).detach()


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    inside = x.abs() <= 1
    one = torch.ones_like(x)
    s = torch.where(x >= 0, one, -one)
    # gradient only where |x| <= 1
    carrier = torch.where(inside, x, x.detach())
    return carrier + (s - x).detach()
