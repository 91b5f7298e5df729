"""The value is right, but the second use of the product is cut off."""


def build(a, b):
    product = a * b
    return product * product.detach() + b
