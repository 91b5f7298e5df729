# Held out. Mistake: Adam has a single step counter for the whole optimiser, which also advances when a parameter is skipped because its gradient is None, so the bias correction of this parameter is too weak afterwards.
# True: shared-step-count
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


class SGD:
    def __init__(self, parameters, lr, momentum=0.0):
        self.lr = lr
        self.momentum = momentum
        self.parameters = list(parameters)
        self.velocity = [np.zeros_like(p.data) for p in self.parameters]

    def step(self):
        for p, v in zip(self.parameters, self.velocity):
            if p.grad is None:
                continue
            v *= self.momentum
            v += p.grad
            p.data -= self.lr * v

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None


class Adam:
    def __init__(self, parameters, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
        self.lr = lr
        self.b1, self.b2 = betas
        self.eps = eps
        self.t = 0
        self.parameters = list(parameters)
        self.m = [np.zeros_like(p.data) for p in self.parameters]
        self.s = [np.zeros_like(p.data) for p in self.parameters]

    def step(self):
        self.t += 1
        for p, m, s in zip(self.parameters, self.m, self.s):
            if p.grad is None:
                continue
            m[...] = self.b1 * m + (1 - self.b1) * p.grad
            s[...] = self.b2 * s + (1 - self.b2) * p.grad**2
            mhat = m / (1 - self.b1**self.t)
            shat = s / (1 - self.b2**self.t)
            p.data -= self.lr * mhat / (np.sqrt(shat) + self.eps)

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None
