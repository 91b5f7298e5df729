"""The value is correct, but the second use of the product is detached."""


def build(a, b):
    product = a * b
    return product * product.detach() + b
