from collections.abc import Callable

import torch


def jacobian(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """All derivatives of f at x, of shape f(x).shape + x.shape."""
    raise NotImplementedError("your part")


def batch_jacobian(f: Callable[[torch.Tensor], torch.Tensor], xb: torch.Tensor) -> torch.Tensor:
    """The Jacobian of f at each sample of xb, of shape (B, m, n), where f maps (n,) to (m,)."""
    raise NotImplementedError("your part")
