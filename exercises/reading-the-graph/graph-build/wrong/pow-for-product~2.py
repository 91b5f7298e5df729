"""torch.square is a power under another name."""


def build_one(a, b):
    p = a * b
    return (p + b) * p * 3


def build_two(a):
    return a.exp().square().sum()
