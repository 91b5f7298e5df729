# Held out. Mistake: the operators and methods take their forward rule from the table once, when the class is defined, so an entry of FORWARD that is replaced later is used by apply but not by the operators.
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
    """The result of an operation as a new tensor."""
    return run(FORWARD[name], name, operands)


def run(function, name, operands):
    operands = tuple(map(as_tensor, operands))
    value = function(*(o.data for o in operands))
    out = Tensor(value, recording and any(o.requires_grad for o in operands))
    if out.requires_grad:
        out.name, out.operands = name, operands
    return out


def method(name):
    function = FORWARD[name]
    return lambda *operands: run(function, name, operands)


def reflected(name):
    function = FORWARD[name]
    return lambda x, y: run(function, name, (y, x))


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

    __add__, __radd__ = method("add"), reflected("add")
    __sub__, __rsub__ = method("sub"), reflected("sub")
    __mul__, __rmul__ = method("mul"), reflected("mul")
    __truediv__, __rtruediv__ = method("div"), reflected("div")
    __neg__ = method("neg")
    exp, log, tanh, relu = [method(n) for n in ("exp", "log", "tanh", "relu")]

    def backward(self, gradient=None):
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if tensor.is_leaf:
                if tensor.requires_grad:
                    tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
                continue
            parts = BACKWARD[tensor.name](g, tensor.data, *[o.data for o in tensor.operands])
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
