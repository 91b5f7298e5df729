"""Only the second operand is taken to be broadcast; the first gets the shape of the result."""


def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def add_vjp(g, x, y):
    return g, unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return g * y, unbroadcast(g * x, y.shape)
