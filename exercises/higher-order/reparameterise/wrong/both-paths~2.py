"""Adds the pathwise gradient to the score."""

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
    of_mu, of_sigma = pathwise(f, mu, sigma, eps)
    return of_mu + (weights * eps / sigma).mean(0), of_sigma + (weights * (eps**2 - 1) / sigma).mean(0)
