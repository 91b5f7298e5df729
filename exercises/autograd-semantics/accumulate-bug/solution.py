"""Two training loops that clear old gradients before each new backward pass."""

from collections.abc import Callable, Sequence

import torch


def fit(
    params: Sequence[torch.Tensor], loss_fn: Callable[[], torch.Tensor], lr: float, steps: int
) -> list[float]:
    opt = torch.optim.SGD(params, lr=lr)
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def fit_two(
    params_a: Sequence[torch.Tensor],
    params_b: Sequence[torch.Tensor],
    loss_a: Callable[[], torch.Tensor],
    loss_b: Callable[[], torch.Tensor],
    lr: float,
    steps: int,
) -> None:
    opt_a = torch.optim.SGD(params_a, lr=lr)
    opt_b = torch.optim.SGD(params_b, lr=lr)
    for _ in range(steps):
        opt_a.zero_grad()
        loss_a().backward()
        opt_a.step()
        opt_b.zero_grad()  # the backward pass of loss_a has written gradients here as well
        loss_b().backward()
        opt_b.step()
