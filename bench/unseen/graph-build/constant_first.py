# Mistake: the constant multiplies first
# True: reassociated
import torch


def build_one(a, b):
    p = a * b
    return 3 * (p + b) * p


def build_two(a):
    e = torch.exp(a)
    return (e * e).sum()
