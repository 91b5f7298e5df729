"""In-place operations on tensors that no other operation has saved."""


def build_one(a, b):
    product = a * b
    result = (product + b) * product
    result *= 3
    return result


def build_two(a):
    e = a.exp()
    return e.mul(e).sum()
