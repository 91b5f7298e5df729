"""The pathwise gradient comes from autograd, the score from its formula in terms of the noise."""

from collections.abc import Callable

import torch

Function = Callable[[torch.Tensor], torch.Tensor]


def pathwise(
    f: Function, mu: torch.Tensor, sigma: torch.Tensor, eps: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    mu, sigma = mu.detach().requires_grad_(), sigma.detach().requires_grad_()
    d_mu, d_sigma = torch.autograd.grad(f(mu + sigma * eps).mean(), (mu, sigma))
    return d_mu, d_sigma


def score_function(
    f: Function, mu: torch.Tensor, sigma: torch.Tensor, eps: torch.Tensor, baseline: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    samples = (mu + sigma * eps).detach()
    values = f(samples)
    if baseline:
        values = values - (values.sum() - values) / (len(values) - 1)
    return values @ (eps / sigma) / len(eps), values @ ((eps * eps - 1) / sigma) / len(eps)
