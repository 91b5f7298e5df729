"""Every reduction is one of the rows of a table: a slice is a row, and the way from the tensor to the table and back
is a class."""

import contextlib
import math

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
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    def __add__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a + b, (self, other), lambda g: (unbroadcast(g, a.shape), unbroadcast(g, b.shape)))

    def __mul__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)))

    def __truediv__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a / b, (self, other), lambda g: (unbroadcast(g / b, a.shape), unbroadcast(-g * a / b**2, b.shape)))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -as_tensor(other)

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * value,))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

    def sum(self, axis=None, keepdims=False):
        """The sum over an axis, over several axes or over all of them, as numpy defines it."""
        return self.reduce(axis, keepdims, lambda rows: rows.sum(1), lambda rows: np.ones(rows.shape))

    def mean(self, axis=None, keepdims=False):
        return self.reduce(axis, keepdims, lambda rows: rows.mean(1), lambda rows: np.full(rows.shape, 1 / rows.shape[1]))

    def max(self, axis=None, keepdims=False):
        return self.reduce(axis, keepdims, lambda rows: rows.max(1), shares_of_the_maximum)

    def reduce(self, axis, keepdims, value, slopes):
        table = Table(self.data.shape, axis)
        rows = table.rows(self.data)
        shape = table.shape_with_ones if keepdims else table.kept_shape
        return result(value(rows).reshape(shape), (self,), lambda g: (table.tensor(slopes(rows) * g.reshape(-1, 1)),))

    def backward(self, gradient=None):
        sums = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


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


def unbroadcast(g, shape):
    """The sum of g over all axes that broadcasting added or stretched, in this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


def shares_of_the_maximum(rows):
    winners = rows == rows.max(axis=1, keepdims=True)
    return winners / winners.sum(axis=1, keepdims=True)


class Table:
    """One row for each slice of a tensor of this shape."""

    def __init__(self, shape, axis):
        axes = range(len(shape))
        reduced = list(axes) if axis is None else [axes[a] for a in np.atleast_1d(axis)]
        kept = [a for a in axes if a not in reduced]
        self.order = kept + reduced
        self.kept_shape = tuple(shape[a] for a in kept)
        self.moved_shape = tuple(shape[a] for a in self.order)
        self.shape_with_ones = tuple(1 if a in reduced else shape[a] for a in axes)

    def rows(self, array):
        count = math.prod(self.kept_shape)
        entries = math.prod(self.moved_shape[len(self.kept_shape) :])
        return array.transpose(self.order).reshape(count, entries)

    def tensor(self, rows):
        return rows.reshape(self.moved_shape).transpose(np.argsort(self.order))
