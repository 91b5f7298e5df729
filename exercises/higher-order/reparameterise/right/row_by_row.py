"""One sample at a time, with explicit chain rules."""

import torch


def pathwise(f, mu, sigma, eps):
    d_mu, d_sigma = torch.zeros_like(mu), torch.zeros_like(sigma)
    for noise in eps:
        x = (mu + sigma * noise).detach().requires_grad_()
        (slope,) = torch.autograd.grad(f(x[None])[0], x)
        d_mu, d_sigma = d_mu + slope / len(eps), d_sigma + slope * noise / len(eps)
    return d_mu.detach(), d_sigma.detach()


def score_function(f, mu, sigma, eps, baseline=False):
    rows = [(mu + sigma * noise).detach() for noise in eps]
    values = [f(x[None]).item() for x in rows]
    d_mu, d_sigma = 0.0, 0.0
    for s, x in enumerate(rows):
        others = [value for r, value in enumerate(values) if r != s]
        weight = values[s] - (sum(others) / len(others) if baseline else 0.0)
        d_mu = d_mu + weight * (x - mu) / sigma**2
        d_sigma = d_sigma + weight * ((x - mu) ** 2 - sigma**2) / sigma**3
    return d_mu / len(eps), d_sigma / len(eps)
