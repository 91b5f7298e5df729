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


# values: arrays to an array
FORWARD = {
    "add": lambda x, y: x + y,
    # your part: sub, mul, div, neg, exp, log, tanh, relu
}

# gradients: the gradient of the output, the output and the arrays to a tuple with one array for each operand
BACKWARD = {
    "add": lambda g, out, x, y: (g, g),
    # your part
}


def apply(name, *operands):
    """The result of an operation as a new tensor."""
    raise NotImplementedError("your part")


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.name = ""
        self.operands = ()

    @property
    def is_leaf(self):
        return not self.operands

    # your part: +, -, *, / with numbers on either side, the unary -, exp(), log(), tanh() and relu()

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
                parts = ()  # your part: one gradient for each operand
                for operand, part in zip(tensor.operands, parts):
                    sums[operand] = sums[operand] + part if operand in sums else part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


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
