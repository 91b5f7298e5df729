"""Multiplied out: the value is the same, the graph is another."""


def build_one(a, b):
    p = a * b
    return (p * p + b * p) * 3


def build_two(a):
    e = a.exp()
    return (e * e).sum()
