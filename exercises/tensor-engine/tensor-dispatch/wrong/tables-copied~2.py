"""The operators take their rules from the tables once, when the class is defined, so an entry that is replaced later
is not used by them.
"""

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
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "exp": lambda x: np.exp(x),
    "log": lambda x: np.log(x),
    "tanh": lambda x: np.tanh(x),
    "relu": lambda x: np.maximum(x, 0.0),
}

# gradients: the gradient of the output, the output and the arrays to a tuple with one array for each operand
BACKWARD = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, -g),
    "mul": lambda g, out, x, y: (g * y, g * x),
    "div": lambda g, out, x, y: (g / y, -g * out / y),
    "neg": lambda g, out, x: (-g,),
    "exp": lambda g, out, x: (g * out,),
    "log": lambda g, out, x: (g / x,),
    "tanh": lambda g, out, x: (g * (1.0 - out**2),),
    "relu": lambda g, out, x: (np.where(x > 0, g, 0.0),),
}


def record(forward, backward, operands):
    operands = tuple(map(as_tensor, operands))
    value = forward(*[t.data for t in operands])
    out = Tensor(value, recording and any(t.requires_grad for t in operands))
    if out.requires_grad:
        out.operands, out.rule, out.output = operands, backward, value
    return out


def apply(name, *operands):
    return record(FORWARD[name], BACKWARD[name], operands)


def method(name, swap=False):
    forward, backward = FORWARD[name], BACKWARD[name]

    def run(*operands):
        return record(forward, backward, operands[::-1] if swap else operands)

    return run


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

    __add__, __radd__ = method("add"), method("add", swap=True)
    __sub__, __rsub__ = method("sub"), method("sub", swap=True)
    __mul__, __rmul__ = method("mul"), method("mul", swap=True)
    __truediv__, __rtruediv__ = method("div"), method("div", swap=True)
    __neg__ = method("neg")
    exp, log, tanh, relu = method("exp"), method("log"), method("tanh"), method("relu")

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
                parts = tensor.rule(g, tensor.output, *[t.data for t in tensor.operands])
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
