"""The mean before the derivative and after it."""

import torch


def pathwise(f, mu, sigma, eps):
    x = (mu + sigma * eps).detach().requires_grad_()
    (slope,) = torch.autograd.grad(f(x).mean(), x)
    return slope.mean(0), (slope * eps).mean(0)


def score_function(f, mu, sigma, eps, baseline=False):
    x = (mu + sigma * eps).detach()
    values = f(x).detach()
    if baseline:
        values = values - (values.sum() - values) / (len(values) - 1)
    weights = values[:, None]
    return (weights * eps / sigma).mean(0), (weights * (eps**2 - 1) / sigma).mean(0)
