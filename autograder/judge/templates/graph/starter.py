# TODO(author): signatures and words for the student; no answer
import torch


def build(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """(a * b)^2 + b, with the graph of the statement."""
    raise NotImplementedError("your part")
