"""a * b is written out twice and becomes two nodes."""


def build_one(a, b):
    return (a * b + b) * (a * b) * 3


def build_two(a):
    e = a.exp()
    return (e * e).sum()
