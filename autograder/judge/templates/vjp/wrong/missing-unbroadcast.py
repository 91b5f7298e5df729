# TODO(author): a file for each mistake; its name says which
"""The gradient of w keeps one row for each row of x."""


def scale_vjp(g, x, w):
    return g * w, g * x
