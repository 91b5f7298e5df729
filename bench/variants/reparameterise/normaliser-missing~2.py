"""Writes the exponent alone."""

import torch


def pathwise(f, mu, sigma, eps):
    mu, sigma = mu.detach().requires_grad_(), sigma.detach().requires_grad_()
    return torch.autograd.grad(f(mu + sigma * eps).mean(), (mu, sigma))


def score_function(f, mu, sigma, eps, baseline=False):
    mu, sigma = mu.detach().requires_grad_(), sigma.detach().requires_grad_()
    x = (mu + sigma * eps).detach()
    values = f(x).detach()
    if baseline:
        n = len(values)
        values = (values - values.mean()) * n / (n - 1)
    log_p = -((x - mu) ** 2 / (2 * sigma**2)).sum(1)
    return torch.autograd.grad((values * log_p).mean(), (mu, sigma))
