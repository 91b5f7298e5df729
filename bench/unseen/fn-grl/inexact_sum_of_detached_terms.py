# Held out. Mistake: the layer is written as (1 + lam) * x.detach() - lam * x, whose gradient is right, but whose value is only x up to rounding.
# True: forward-changed
import torch


def grad_reverse(x: torch.Tensor, lam: float) -> torch.Tensor:
    """The value of x, with a gradient that is multiplied by -lam."""
    return (1 + lam) * x.detach() - lam * x
