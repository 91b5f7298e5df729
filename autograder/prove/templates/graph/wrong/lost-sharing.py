# TODO(author): one file for each mistake, named after it
"""The value is correct, but the product is computed twice."""


def build(a, b):
    return (a * b) * (a * b) + b
