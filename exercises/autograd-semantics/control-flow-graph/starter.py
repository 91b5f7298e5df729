import torch


def piecewise(x):
    """x * sqrt(x) where x > 0, and x^2 elsewhere."""
    raise NotImplementedError("your part")


def grow(x, limit):
    """Replaces h by 1.5 * h + sin(h) until its norm exceeds limit, at most 50 times. Returns h and the number of steps."""
    raise NotImplementedError("your part")
