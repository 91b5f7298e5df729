"""Operands are copied to the common shape with an operation of its own, whose gradient adds up with np.add.at."""

import contextlib

import numpy as np

recording = True


@contextlib.contextmanager
def no_grad():
    global recording
    before = recording
    recording = False
    try:
        yield
    finally:
        recording = before


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()

    @property
    def is_leaf(self):
        return not self.operands

    def copied(self, shape):
        if shape == self.data.shape:
            return self
        places = np.broadcast_to(np.arange(self.data.size).reshape(self.data.shape), shape)

        def vjp(g):
            total = np.zeros(self.data.size)
            np.add.at(total, places.ravel(), g.ravel())
            return (total.reshape(self.data.shape),)

        return result(np.broadcast_to(self.data, shape), (self,), vjp)

    def __add__(self, other):
        a, b = pair(self, other)
        return result(a.data + b.data, (a, b), lambda g: (g, g))

    def __sub__(self, other):
        a, b = pair(self, other)
        return result(a.data - b.data, (a, b), lambda g: (g, -g))

    def __mul__(self, other):
        a, b = pair(self, other)
        return result(a.data * b.data, (a, b), lambda g: (g * b.data, g * a.data))

    def __truediv__(self, other):
        a, b = pair(self, other)
        out = a.data / b.data
        return result(out, (a, b), lambda g: (g / b.data, -g * out / b.data))

    def __rsub__(self, other):
        return Tensor(other).__sub__(self)

    def __rtruediv__(self, other):
        return Tensor(other).__truediv__(self)

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = np.array(g) if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


def pair(a, b):
    b = as_tensor(b)
    shape = np.broadcast_shapes(a.data.shape, b.data.shape)
    return a.copied(shape), b.copied(shape)


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    """The result of an operation. It remembers its operands if it needs a gradient."""
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
        out.operands, out.vjp = operands, vjp
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
