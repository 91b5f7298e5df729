"""The two VJPs return gradients in the shape of the result and never call unbroadcast."""


def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def add_vjp(g, x, y):
    return g, g


def mul_vjp(g, x, y):
    return g * y, g * x
