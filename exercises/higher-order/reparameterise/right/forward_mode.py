"""Pathwise through torch.func, and the baseline as a covariance."""

import torch


def pathwise(f, mu, sigma, eps):
    def mean(m, s):
        return f(m + s * eps).mean()

    return torch.func.grad(mean, (0, 1))(mu, sigma)


def score_function(f, mu, sigma, eps, baseline=False):
    with torch.no_grad():
        values = f(mu + sigma * eps)
        n = len(values)
        scores = torch.cat([eps, eps**2 - 1], 1) / torch.cat([sigma, sigma])
        if baseline:
            both = ((values - values.mean())[:, None] * (scores - scores.mean(0))).sum(0) / (n - 1)
        else:
            both = (values[:, None] * scores).mean(0)
        return [*both.split(len(mu))]
