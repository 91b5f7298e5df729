# TODO(author): signatures and docstrings for the student, without the solution
import torch


def pull(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the mean squared distance to a fixed target."""
    raise NotImplementedError("your part")
