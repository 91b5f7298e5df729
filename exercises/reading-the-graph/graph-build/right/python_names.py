"""Assignment expressions instead of lines."""


def build_one(a, b):
    return ((p := a * b) + b) * p * 3


def build_two(a):
    return ((e := a.exp()) * e).sum()
