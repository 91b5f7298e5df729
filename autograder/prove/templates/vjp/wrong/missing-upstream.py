"""The upstream gradient is left out."""


def scale_vjp(g, x, w):
    return w + 0 * x, x.sum(axis=0)
