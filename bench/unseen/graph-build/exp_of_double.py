# Mistake: exp(2a) is used for the square of exp(a)
# True: another-formula
import torch


def build_one(a, b):
    c = a * b
    return 3 * ((c + b) * c)


def build_two(a):
    return torch.exp(2 * a).sum()
