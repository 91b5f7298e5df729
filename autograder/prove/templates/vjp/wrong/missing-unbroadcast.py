# TODO(author): one file for each mistake, named after it
"""The gradient of w keeps one row for each row of x."""


def scale_vjp(g, x, w):
    return g * w, g * x
