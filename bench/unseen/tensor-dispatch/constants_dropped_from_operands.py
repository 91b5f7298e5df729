# Held out. Mistake: apply remembers only the operands that require grad, but backward pairs them with the complete tuple of the rule, so in 2 - x or c * x the variable receives the gradient of the constant before it.
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


FORWARD = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "exp": lambda x: np.exp(x),
    "log": lambda x: np.log(x),
    "tanh": lambda x: np.tanh(x),
    "relu": lambda x: np.maximum(x, 0.0),
}

BACKWARD = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, -g),
    "mul": lambda g, out, x, y: (g * y, g * x),
    "div": lambda g, out, x, y: (g / y, -g * x / y**2),
    "neg": lambda g, out, x: (-g,),
    "exp": lambda g, out, x: (g * out,),
    "log": lambda g, out, x: (g / x,),
    "tanh": lambda g, out, x: (g * (1 - out**2),),
    "relu": lambda g, out, x: (g * (x > 0),),
}


def apply(name, *operands):
    forward = FORWARD[name]
    tensors = [as_tensor(operand) for operand in operands]
    arrays = [t.data for t in tensors]
    out = Tensor(forward(*arrays))
    out.requires_grad = recording and any(t.requires_grad for t in tensors)
    if out.requires_grad:
        out.name = name
        out.arrays = arrays
        # constants need no gradient, so they are not part of the graph
        out.operands = tuple(t for t in tensors if t.requires_grad)
    return out


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.name = ""
        self.arrays = []
        self.operands = ()

    @property
    def is_leaf(self):
        return not self.operands

    def __add__(self, other):
        return apply("add", self, other)

    def __radd__(self, other):
        return apply("add", other, self)

    def __sub__(self, other):
        return apply("sub", self, other)

    def __rsub__(self, other):
        return apply("sub", other, self)

    def __mul__(self, other):
        return apply("mul", self, other)

    def __rmul__(self, other):
        return apply("mul", other, self)

    def __truediv__(self, other):
        return apply("div", self, other)

    def __rtruediv__(self, other):
        return apply("div", other, self)

    def __neg__(self):
        return apply("neg", self)

    def exp(self):
        return apply("exp", self)

    def log(self):
        return apply("log", self)

    def tanh(self):
        return apply("tanh", self)

    def relu(self):
        return apply("relu", self)

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
                parts = BACKWARD[tensor.name](g, tensor.data, *tensor.arrays)
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
