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
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other)
        return result(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("this tensor does not require grad")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        if gradient.shape != self.data.shape:
            raise RuntimeError("the gradient has another shape than the tensor")
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            g = sums.pop(tensor)
            if tensor.is_leaf:
                if tensor.requires_grad:
                    tensor.grad = np.array(g) if tensor.grad is None else tensor.grad + g
                continue
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part
            # the history is not needed any more
            tensor.operands = ()


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    """The result of an operation."""
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
