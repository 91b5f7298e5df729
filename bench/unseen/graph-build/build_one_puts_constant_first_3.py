# Held out. Mistake: build_one puts the constant first: 3 * s * p is (3 * s) * p, so the multiplication by the constant is not the last one
# True: reassociated
import torch


def build_one(a, b):
    prod = torch.mul(a, b)
    s = torch.add(prod, b)
    return 3 * s * prod


def build_two(a):
    ex = torch.exp(a)
    return torch.sum(ex * ex)
