"""Logarithm and root are multiplied by a mask of floats."""

import torch


def safe_log(x):
    mask = (x > 0).to(x.dtype)
    return mask * x.log()


def safe_sqrt(x):
    mask = (x > 0).to(x.dtype)
    return mask * x.sqrt()


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
