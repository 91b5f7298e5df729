"""The constant is left out."""


def build_one(a, b):
    p = a * b
    return (p + b) * p


def build_two(a):
    e = a.exp()
    return (e * e).sum()
