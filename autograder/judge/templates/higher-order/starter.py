# TODO(author): signatures and words for the student; no answer
import torch


def hvp(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The Hessian of f at x, times v."""
    raise NotImplementedError("your part")
