# Held out. Mistake: positions in a list count only the entries that are parameters, modules or lists, so parameters that come after a number, None or a function in a list are listed under a wrong name.
# True: wrong-names
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


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    def __add__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a + b, (self, other), lambda g: (unbroadcast(g, a.shape), unbroadcast(g, b.shape)))

    def __mul__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)))

    __radd__ = __add__
    __rmul__ = __mul__

    def __matmul__(self, other):
        a, b = self.data, other.data
        return result(a @ b, (self, other), lambda g: (g @ b.T, a.T @ g))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

    def backward(self, gradient=None):
        sums = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    """The result of an operation. It remembers its operands if it needs a gradient."""
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
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


def unbroadcast(g, shape):
    """The sum of g over all axes that broadcasting added or stretched, in this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


class Parameter(Tensor):
    """A tensor that is trained."""

    def __init__(self, data):
        Tensor.__init__(self, data, True)


class Module:
    def __init__(self):
        pass

    def forward(self, *args, **kwargs):
        raise NotImplementedError()

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def _walk(self):
        for name, value in vars(self).items():
            yield from walk(name, value)

    def named_parameters(self):
        seen = set()
        for name, p in self._walk():
            if id(p) not in seen:
                seen.add(id(p))
                yield name, p

    def parameters(self):
        for _, p in self.named_parameters():
            yield p

    def zero_grad(self):
        for p in self.parameters():
            p.grad = None


def walk(name, value):
    if isinstance(value, Parameter):
        yield name, value
    elif isinstance(value, Module):
        for sub, p in value._walk():
            yield name + "." + sub, p
    elif isinstance(value, (list, tuple)):
        items = [v for v in value if isinstance(v, (Parameter, Module, list, tuple))]
        for number, item in enumerate(items):
            yield from walk(name + "." + str(number), item)
