"""The graph is right, the constant is 2."""


def build_one(a, b):
    p = a * b
    return (p + b) * p * 2


def build_two(a):
    e = a.exp()
    return (e * e).sum()
