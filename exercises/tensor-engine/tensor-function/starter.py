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


class Context:
    """What one call of forward leaves for backward."""

    # your part: saved_tensors and needs_input_grad

    def save_for_backward(self, *arrays):
        raise NotImplementedError("your part")


class Function:
    @classmethod
    def apply(cls, *inputs):
        """Calls forward with arrays, and records its result."""
        raise NotImplementedError("your part")


class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g, g


class Mul(Function):
    pass  # your part


class Exp(Function):
    pass  # your part


class Pow(Function):
    pass  # your part


class Clamp(Function):
    pass  # your part


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.function = None
        self.ctx = None
        self.inputs = ()

    @property
    def is_leaf(self):
        return self.function is None

    def __add__(self, other):
        return Add.apply(self, other)

    def __radd__(self, other):
        return Add.apply(other, self)

    # your part: * with numbers on either side, **, exp() and clamp(lo, hi)

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
            if not tensor.is_leaf:
                parts = ()  # your part: one gradient for each argument of apply
                for operand, part in zip(tensor.inputs, parts):
                    sums[operand] = sums[operand] + part if operand in sums else part


def in_order(root):
    """The root and every tensor that it depends on, each after the tensors among its inputs."""
    order, seen = [], set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for item in tensor.inputs:
                if isinstance(item, Tensor):
                    visit(item)
            order.append(tensor)

    visit(root)
    return order
