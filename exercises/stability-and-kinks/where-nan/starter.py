import torch


def safe_log(x: torch.Tensor) -> torch.Tensor:
    """log(x) where x > 0, else 0; the derivative is 0 there, too."""
    raise NotImplementedError("your part")


def safe_sqrt(x: torch.Tensor) -> torch.Tensor:
    """sqrt(x) where x > 0, else 0; the derivative is 0 there, too."""
    raise NotImplementedError("your part")


def safe_norm(x: torch.Tensor) -> torch.Tensor:
    """The Euclidean norm of a vector, with a gradient of 0 at the zero vector."""
    raise NotImplementedError("your part")
