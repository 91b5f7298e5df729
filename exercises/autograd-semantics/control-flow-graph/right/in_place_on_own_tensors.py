"""Powers, and sums that are changed in place where nothing needs the old numbers."""

import torch


def piecewise(x):
    exponent = 1.5 if x > 0 else 2
    return x**exponent


def grow(x, limit):
    h, steps = x, 0
    while not (steps == 50 or float(h.norm()) > limit):
        h = h.sin().add_(h, alpha=1.5)
        steps += 1
    return h, steps
