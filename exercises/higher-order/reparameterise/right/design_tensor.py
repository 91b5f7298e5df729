"""mu and sigma are the two rows of one array. Samples, gradients and scores are einsums with a design tensor of ones and
noise, and the baseline is a centring matrix."""

import torch


def design(eps):
    return torch.stack([torch.ones_like(eps), eps.detach()])


def samples(mu, sigma, eps):
    return torch.einsum("ksd,kd->sd", design(eps), torch.stack([mu.detach(), sigma.detach()]))


def pathwise(f, mu, sigma, eps):
    x = samples(mu, sigma, eps).requires_grad_()
    (slopes,) = torch.autograd.grad(f(x).mean(), x)
    return tuple(torch.einsum("ksd,sd->kd", design(eps), slopes).unbind())


def score_function(f, mu, sigma, eps, baseline=False):
    count = len(eps)
    values = f(samples(mu, sigma, eps)).detach()
    if baseline:
        identity = torch.eye(count, dtype=eps.dtype)
        values = (identity - (1 - identity) / (count - 1)) @ values
    one, noise = design(eps)
    scores = torch.stack([noise, noise * noise - one]) / sigma.detach()
    return tuple((torch.einsum("s,ksd->kd", values, scores) / count).unbind())
