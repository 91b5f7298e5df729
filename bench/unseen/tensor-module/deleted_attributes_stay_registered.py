# Held out. Mistake: attributes are registered in __setattr__ but not removed when they are deleted, so parameters() still lists parameters of a deleted attribute, and a new assignment keeps the old place in the order.
# True: stale-registration
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
    def __init__(self, data):
        super().__init__(data, requires_grad=True)


class Module:
    def __init__(self):
        object.__setattr__(self, "_registry", {})

    def __setattr__(self, name, value):
        self._registry[name] = value
        object.__setattr__(self, name, value)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args, **kwargs):
        raise NotImplementedError("forward has to be defined by the subclass")

    def named_parameters(self):
        found = {}

        def search(name, value):
            if isinstance(value, Parameter):
                found.setdefault(value, name)
            elif isinstance(value, Module):
                for key, child in value._registry.items():
                    search(f"{name}.{key}", child)
            elif isinstance(value, (list, tuple)):
                for i, child in enumerate(value):
                    search(f"{name}.{i}", child)

        for key, child in self._registry.items():
            search(key, child)
        return [(name, p) for p, name in found.items()]

    def parameters(self):
        return [p for _, p in self.named_parameters()]

    def zero_grad(self):
        for p in self.parameters():
            p.grad = None
