import torch


def vjp(f, x, v):
    """The product of v, shaped like f(x), and the Jacobian of f at x. Shaped like x."""
    raise NotImplementedError("your part")


def jacobian_row(f, x, i):
    """Row i of the Jacobian: the derivatives of entry i of f(x). Shaped like x."""
    raise NotImplementedError("your part")


def jacobian_col(f, x, j):
    """Column j of the Jacobian: the derivatives with respect to entry j of x. Shaped like f(x)."""
    raise NotImplementedError("your part")
