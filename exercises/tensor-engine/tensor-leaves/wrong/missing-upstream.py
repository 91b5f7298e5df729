"""The product ignores the gradient that arrives."""

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
        return self.operands == ()

    def __add__(self, other):
        other = as_tensor(other)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other)
        return result(self.data * other.data, (self, other), lambda g: (other.data * np.ones(g.shape), self.data * np.ones(g.shape)))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("does not require grad")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("gradient needed")
            gradient = np.ones(self.data.shape)
        if gradient.shape != self.data.shape:
            raise RuntimeError("wrong shape")
        grads = {self: gradient.copy()}
        for tensor in reversed(in_order(self)):
            if not tensor.requires_grad:
                continue
            g = grads[tensor]
            if tensor.is_leaf:
                if tensor.grad is None:
                    tensor.grad = np.zeros(tensor.data.shape)
                tensor.grad = tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                grads[operand] = grads.get(operand, 0) + part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    out = Tensor(data)
    if recording and any(t.requires_grad for t in operands):
        out.requires_grad = True
        out.operands = operands
        out.vjp = vjp
    return out


def in_order(root):
    order, seen = [], set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)

    visit(root)
    return order
