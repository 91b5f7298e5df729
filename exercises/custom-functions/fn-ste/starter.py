import torch


def round_ste(x: torch.Tensor) -> torch.Tensor:
    """torch.round(x), with a gradient that passes through unchanged."""
    raise NotImplementedError("your part")


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    """+1 for x >= 0 and -1 otherwise, with a gradient that passes where |x| <= 1."""
    raise NotImplementedError("your part")
