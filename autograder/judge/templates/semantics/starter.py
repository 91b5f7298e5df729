# TODO(author): signatures and words for the student; no answer
import torch


def pull(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean squared distance to a target that stays where it is."""
    raise NotImplementedError("your part")
