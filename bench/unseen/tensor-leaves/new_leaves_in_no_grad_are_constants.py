# Held out. Mistake: the recording flag is applied in the constructor to every tensor, so Tensor(data, requires_grad=True) created in a no_grad block does not require grad and never receives a gradient.
# True: no-grad-changes-leaves
import contextlib

import numpy as np

recording = True


@contextlib.contextmanager
def no_grad():
    global recording
    old, recording = recording, False
    try:
        yield
    finally:
        recording = old


class Tensor:
    def __init__(self, data, requires_grad=False, operands=(), vjp=None):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        # one place for the rule: nothing requires grad while recording is off
        self.requires_grad = bool(requires_grad and recording)
        self.operands = operands if self.requires_grad else ()
        self.vjp = vjp if self.requires_grad else None
        self.is_leaf = not self.operands

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
            raise RuntimeError("does not require grad")
        if gradient is None and self.data.size != 1:
            raise RuntimeError("gradient missing")
        if gradient is None:
            gradient = np.ones(self.data.shape)
        if np.shape(gradient) != self.data.shape:
            raise RuntimeError("wrong shape of the gradient")

        grads = {self: gradient}
        for node in in_order(self)[::-1]:
            g = grads[node]
            if node.is_leaf and node.requires_grad:
                if node.grad is None:
                    node.grad = np.zeros(node.data.shape)
                node.grad = node.grad + g
            if not node.is_leaf:
                for operand, part in zip(node.operands, node.vjp(g)):
                    grads[operand] = grads.get(operand, 0.0) + part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    return Tensor(data, any(operand.requires_grad for operand in operands), operands, vjp)

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
