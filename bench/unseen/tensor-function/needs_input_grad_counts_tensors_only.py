# Held out. Mistake: ctx.needs_input_grad has an entry for each tensor among the arguments instead of one for each argument, so its entries are shifted or missing when numbers or strings stand among the tensors.
# True: needs-input-grad-wrong
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

    saved_tensors = ()
    needs_input_grad = ()

    def save_for_backward(self, *arrays):
        self.saved_tensors = tuple(arrays)


class Function:
    @classmethod
    def apply(cls, *inputs):
        ctx = Context()
        tensors = [x for x in inputs if isinstance(x, Tensor)]
        ctx.needs_input_grad = tuple(x.requires_grad for x in tensors)
        arguments = [x.data if isinstance(x, Tensor) else x for x in inputs]
        value = cls.forward(ctx, *arguments)
        out = Tensor(value, recording and any(ctx.needs_input_grad))
        if out.requires_grad:
            out.function = cls
            out.ctx = ctx
            out.inputs = inputs
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
        ctx.x, ctx.y = x, y
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y, g * ctx.x


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.value = np.exp(x)
        return ctx.value

    @staticmethod
    def backward(ctx, g):
        return g * ctx.value


class Pow(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.x, ctx.n = x, n
        return x**n

    @staticmethod
    def backward(ctx, g):
        x, n = ctx.x, ctx.n
        dx = g * 0.0 if n == 0 else g * n * x ** (n - 1)
        return dx, None


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.outside = np.logical_or(x < lo, x > hi)
        return np.minimum(np.maximum(x, lo), hi)

    @staticmethod
    def backward(ctx, g):
        return np.where(ctx.outside, 0.0, g), None, None


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

    __add__ = lambda self, other: Add.apply(self, other)
    __radd__ = lambda self, other: Add.apply(other, self)
    __mul__ = lambda self, other: Mul.apply(self, other)
    __rmul__ = lambda self, other: Mul.apply(other, self)
    __pow__ = lambda self, n: Pow.apply(self, n)
    exp = lambda self: Exp.apply(self)
    clamp = lambda self, lo, hi: Clamp.apply(self, lo, hi)

    def backward(self, gradient=None):
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            if tensor not in sums:
                continue  # nothing flows here
            g = sums[tensor]
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            if not tensor.is_leaf:
                parts = tensor.function.backward(tensor.ctx, g)
                if not isinstance(parts, (tuple, list)):
                    parts = (parts,)
                if len(parts) != len(tensor.inputs):
                    raise RuntimeError(f"{len(tensor.inputs)} gradients expected, {len(parts)} returned")
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
