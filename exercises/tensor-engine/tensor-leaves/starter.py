import contextlib

import numpy as np


@contextlib.contextmanager
def no_grad():
    # your part: results that are computed in this block do not require grad
    yield


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    @property
    def is_leaf(self):
        raise NotImplementedError("your part")

    def __add__(self, other):
        other = as_tensor(other)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other)
        return result(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        raise NotImplementedError("your part")


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    """The result of an operation."""
    out = Tensor(data)
    # your part: does this result require grad, and what does it have to remember?
    return out


def in_order(root):
    """The root and every tensor that it depends on, each after its operands."""
    order, seen = [], set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)

    visit(root)
    return order
