"""The noise points the other way."""

import torch


def pathwise(f, mu, sigma, eps):
    mu, sigma = mu.detach().requires_grad_(), sigma.detach().requires_grad_()
    return torch.autograd.grad(f(mu + sigma * eps).mean(), (mu, sigma))


def score_function(f, mu, sigma, eps, baseline=False):
    x = (mu + sigma * eps).detach()
    values = f(x).detach()
    if baseline:
        values = values - (values.sum() - values) / (len(values) - 1)
    weights = values[:, None]
    return (-weights * eps / sigma).mean(0), (weights * (1 - eps**2) / sigma).mean(0)
