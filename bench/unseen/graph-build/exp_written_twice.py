# Held out. Mistake: build_two writes exp(a) twice and expects one shared node, but each call makes a node of its own
# True: lost-sharing
import torch


def build_one(a, b):
    n3 = torch.mul(a, b)
    n2 = torch.add(n3, b)
    n1 = torch.mul(n2, n3)
    return torch.mul(n1, 3)


def build_two(a):
    # a product and not a power: exp(a) times itself
    squares = torch.exp(a) * torch.exp(a)
    return torch.sum(squares)
