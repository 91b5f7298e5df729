"""In-place operations where nobody has saved what they overwrite."""


def build_one(a, b):
    product = a * b
    result = (product + b) * product
    result *= 3
    return result


def build_two(a):
    e = a.exp()
    return e.mul(e).sum()
