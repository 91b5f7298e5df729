# Held out. Mistake: the backward pass in training uses the unbiased variance's factor 1/(M-1) in the path through the variance, although the forward pass normalises with the population variance, so dx is slightly wrong, most for few values per channel.
import numpy as np


def batchnorm(x, gamma, beta, running_mean, running_var, *, training, momentum=0.1, eps=1e-5):
    rows, shape = to_rows(x)
    M = rows.shape[0]
    if not training:
        y = gamma * (rows - running_mean) / np.sqrt(running_var + eps) + beta
        return from_rows(y, shape), running_mean, running_var
    mean = rows.mean(0)
    diff = rows - mean
    var = (diff * diff).mean(0)
    y = gamma * diff / np.sqrt(var + eps) + beta
    return (
        from_rows(y, shape),
        (1 - momentum) * running_mean + momentum * mean,
        (1 - momentum) * running_var + momentum * (M / (M - 1)) * var,
    )


def batchnorm_vjp(g, x, gamma, beta, running_mean, running_var, *, training, eps=1e-5):
    rows, shape = to_rows(x)
    G, _ = to_rows(g)
    M = len(rows)
    if training:
        mean = rows.mean(0)
        var = ((rows - mean) ** 2).mean(0)
    else:
        mean, var = running_mean, running_var
    std = np.sqrt(var + eps)
    diff = rows - mean
    dgamma = (G * diff / std).sum(0)
    dbeta = G.sum(0)
    dxhat = G * gamma
    dx = dxhat / std
    if training:
        dvar = (dxhat * diff).sum(0) * -0.5 / std**3
        dx = dx + dvar * 2 * diff / (M - 1)
        dmean = -dxhat.sum(0) / std
        dx = dx + dmean / M
    return from_rows(dx, shape), dgamma, dbeta


def to_rows(x):
    """One row for each value of a channel, one column for each channel."""
    moved = np.moveaxis(x, 1, -1)
    return moved.reshape(-1, x.shape[1]), moved.shape


def from_rows(rows, shape):
    return np.moveaxis(rows.reshape(shape), -1, 1)
