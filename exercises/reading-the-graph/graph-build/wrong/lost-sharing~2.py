"""exp(a) is computed twice and becomes two nodes."""


def build_one(a, b):
    p = a * b
    return (p + b) * p * 3


def build_two(a):
    return (a.exp() * a.exp()).sum()
