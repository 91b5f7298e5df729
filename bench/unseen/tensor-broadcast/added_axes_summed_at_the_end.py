# Held out. Mistake: when an operand has fewer axes than the result, its gradient is summed over the last axes instead of the axes that broadcasting added in front, so the gradient has a wrong shape, or wrong entries if the sizes agree.
# True: aligned-left
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
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    @property
    def is_leaf(self):
        return not self.operands

    def __add__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a + b, (self, other), lambda g: (reduce_to(g, a.shape), reduce_to(g, b.shape)))

    def __sub__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a - b, (self, other), lambda g: (reduce_to(g, a.shape), reduce_to(-g, b.shape)))

    def __mul__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (reduce_to(g * b, a.shape), reduce_to(g * a, b.shape)))

    def __truediv__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(
            a / b, (self, other), lambda g: (reduce_to(g / b, a.shape), reduce_to(-g * a / (b * b), b.shape))
        )

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

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


def reduce_to(g, shape):
    g = np.asarray(g)
    while g.ndim > len(shape):
        g = g.sum(axis=-1)
    for axis in range(len(shape)):
        if shape[axis] == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g
