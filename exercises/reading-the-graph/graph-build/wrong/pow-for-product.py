"""The square is a power, which is another node."""


def build_one(a, b):
    p = a * b
    return (p + b) * p * 3


def build_two(a):
    return (a.exp() ** 2).sum()
