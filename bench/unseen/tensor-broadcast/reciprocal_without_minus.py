# Held out. Mistake: a number divided by a tensor is computed by an operation of its own whose gradient g * n / x**2 lacks the minus sign, so the gradient of n / x has the wrong sign while x / y is right.
# True: wrong-sign
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
        return binary(self, other, np.add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other):
        return binary(self, other, np.subtract, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other):
        return binary(self, other, np.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a)

    def __truediv__(self, other):
        return binary(self, other, np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)

    def __rsub__(self, number):
        # number - x: every entry gets -g
        return result(number - self.data, (self,), lambda g: (-g,))

    def __rtruediv__(self, number):
        x = self.data
        return result(number / x, (self,), lambda g: (g * number / x**2,))

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


def binary(x, y, f, dx, dy):
    y = as_tensor(y)
    a, b = x.data, y.data
    return result(f(a, b), (x, y), lambda g: (fit(dx(g, a, b), a.shape), fit(dy(g, a, b), b.shape)))


def fit(g, shape):
    """Sums the gradients of copies. Axes are aligned on the right."""
    extra = g.ndim - len(shape)
    padded = (1,) * extra + tuple(shape)
    axes = tuple(i for i, n in enumerate(padded) if n == 1)
    return g.sum(axis=axes, keepdims=True).reshape(shape)
