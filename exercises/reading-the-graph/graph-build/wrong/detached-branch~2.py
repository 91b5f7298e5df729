"""One factor of the square is detached, so half of the gradient is missing."""


def build_one(a, b):
    p = a * b
    return (p + b) * p * 3


def build_two(a):
    e = a.exp()
    return (e * e.detach()).sum()
