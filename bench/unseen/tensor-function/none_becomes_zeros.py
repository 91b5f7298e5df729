# Held out. Mistake: a gradient of None is replaced by zeros and passed on, so the backward of earlier functions is called although nothing flows to them, and leaves that nothing reaches get a .grad of zeros instead of staying None.
# True: none-becomes-zero
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
    def __init__(self, needs):
        self.needs_input_grad = needs
        self.saved_tensors = ()

    def save_for_backward(self, *arrays):
        self.saved_tensors = arrays


class Function:
    @classmethod
    def apply(cls, *inputs):
        needs = tuple(isinstance(i, Tensor) and i.requires_grad for i in inputs)
        ctx = Context(needs)
        out = Tensor(cls.forward(ctx, *[i.data if isinstance(i, Tensor) else i for i in inputs]))
        if recording and any(needs):
            out.requires_grad = True
            out.function, out.ctx, out.inputs = cls, ctx, inputs
        return out


class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g, g


class Mul(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = np.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return (g * ctx.saved_tensors[0],)


class Pow(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        return x**n

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if ctx.n == 0:
            return np.zeros_like(x), None
        return g * ctx.n * x ** (ctx.n - 1), None


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward((x >= lo) & (x <= hi))
        return np.clip(x, lo, hi)

    @staticmethod
    def backward(ctx, g):
        (inside,) = ctx.saved_tensors
        return g * inside, None, None


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

    def __mul__(self, other):
        return Mul.apply(self, other)

    def __rmul__(self, other):
        return Mul.apply(other, self)

    def __pow__(self, n):
        return Pow.apply(self, n)

    def exp(self):
        return Exp.apply(self)

    def clamp(self, lo, hi):
        return Clamp.apply(self, lo, hi)

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
            parts = tensor.function.backward(tensor.ctx, g)
            if not isinstance(parts, tuple):
                parts = (parts,)
            if len(parts) != len(tensor.inputs):
                raise RuntimeError("backward returned the wrong number of gradients")
            for operand, part in zip(tensor.inputs, parts):
                if not isinstance(operand, Tensor):
                    continue
                if part is None:
                    part = np.zeros(operand.data.shape)
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
