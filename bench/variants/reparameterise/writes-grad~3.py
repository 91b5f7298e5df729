"""Switches the arguments on and off again."""

import torch


def pathwise(f, mu, sigma, eps):
    before = mu.requires_grad, sigma.requires_grad
    mu.requires_grad_()
    sigma.requires_grad_()
    grads = torch.autograd.grad(f(mu + sigma * eps).mean(), (mu, sigma))
    mu.grad = sigma.grad = None
    if mu.is_leaf and sigma.is_leaf:
        mu.requires_grad_(before[0])
        sigma.requires_grad_(before[1])
    return grads


def score_function(f, mu, sigma, eps, baseline=False):
    x = (mu + sigma * eps).detach()
    values = f(x).detach()
    if baseline:
        values = values - (values.sum() - values) / (len(values) - 1)
    weights = values[:, None]
    return (weights * eps / sigma).mean(0), (weights * (eps**2 - 1) / sigma).mean(0)
