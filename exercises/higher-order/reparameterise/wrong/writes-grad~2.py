"""Marks the arguments themselves."""

import torch


def pathwise(f, mu, sigma, eps):
    mu.requires_grad_()
    sigma.requires_grad_()
    return torch.autograd.grad(f(mu + sigma * eps).mean(), (mu, sigma))


def score_function(f, mu, sigma, eps, baseline=False):
    x = (mu + sigma * eps).detach()
    values = f(x).detach()
    if baseline:
        values = values - (values.sum() - values) / (len(values) - 1)
    weights = values[:, None]
    return (weights * eps / sigma).mean(0), (weights * (eps**2 - 1) / sigma).mean(0)
