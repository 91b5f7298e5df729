# Mistake: the product a*b is computed twice
# True: lost-sharing
import torch


def build_one(a, b):
    return (a * b + b) * (a * b) * 3


def build_two(a):
    e = torch.exp(a)
    return (e * e).sum()
