# TODO(author): a file for each mistake; its name says which
"""The value is right, but there are two nodes for one product."""


def build(a, b):
    return (a * b) * (a * b) + b
