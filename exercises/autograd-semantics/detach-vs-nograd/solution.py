"""Three losses with one constant side: detach() on that side, and nowhere else."""

import torch


def td_loss(v: torch.Tensor, v_next: torch.Tensor, r: torch.Tensor, gamma: float) -> torch.Tensor:
    target = (r + gamma * v_next).detach()
    error = v - target
    return (error * error).mean()


def mean_cosine(p: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    dot = (p * z).sum(1)
    lengths = (p * p).sum(1).sqrt() * (z * z).sum(1).sqrt()
    return (dot / lengths).mean()


def siam_loss(p1: torch.Tensor, z1: torch.Tensor, p2: torch.Tensor, z2: torch.Tensor) -> torch.Tensor:
    one = mean_cosine(p1, z2.detach())
    two = mean_cosine(p2, z1.detach())
    return -(one + two) / 2


def vq(z: torch.Tensor, e: torch.Tensor, beta: float) -> tuple[torch.Tensor, torch.Tensor]:
    q = z + (e - z).detach()  # the value of e; for the gradient, z plus a constant
    codes = z.detach() - e
    commitment = z - e.detach()
    loss = (codes * codes).mean() + beta * (commitment * commitment).mean()
    return q, loss
