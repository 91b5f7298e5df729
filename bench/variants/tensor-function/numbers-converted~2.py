"""Numbers become tensors first, so that forward receives arrays."""

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
    def __init__(self):
        self.saved_tensors = ()
        self.needs_input_grad = ()

    def save_for_backward(self, *arrays):
        self.saved_tensors = arrays


class Function:
    @classmethod
    def apply(cls, *inputs):
        inputs = tuple(Tensor(item) if isinstance(item, (int, float, list)) else item for item in inputs)
        ctx = Context()
        ctx.needs_input_grad = tuple(isinstance(item, Tensor) and item.requires_grad for item in inputs)
        out = Tensor(cls.forward(ctx, *[item.data if isinstance(item, Tensor) else item for item in inputs]))
        if recording and any(ctx.needs_input_grad):
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
        out = np.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


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
            return np.zeros(x.shape), None
        return g * ctx.n * x ** (ctx.n - 1), None


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.inside = (x >= lo) & (x <= hi)
        return np.clip(x, lo, hi)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.inside, None, None


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
            g = sums.get(tensor)
            if g is None:
                continue
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            if not tensor.is_leaf:
                parts = tensor.function.backward(tensor.ctx, g)
                if len(tensor.inputs) == 1 and not isinstance(parts, tuple):
                    parts = (parts,)
                if not isinstance(parts, tuple) or len(parts) != len(tensor.inputs):
                    raise RuntimeError("backward should return one gradient for each argument")
                for operand, part in zip(tensor.inputs, parts):
                    if isinstance(operand, Tensor) and part is not None:
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
