"""Written from left to right as the formula stands: the constant multiplies first."""


def build_one(a, b):
    p = a * b
    return 3 * (p + b) * p


def build_two(a):
    e = a.exp()
    return (e * e).sum()
