# Held out. Mistake: in the first step SGD stores the gradient array itself as the velocity and later updates the velocity in place, so a step changes .grad, and a caller who reuses the array changes the velocity.
# True: aliases-grad, gradient-changed
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


class Optimizer:
    def __init__(self, parameters, lr):
        self.lr = lr
        self.params = [p for p in parameters]
        self.state = {}  # parameter -> what is remembered for it

    def step(self):
        for p in self.params:
            if p.grad is not None:
                self.update(p)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


class SGD(Optimizer):
    def __init__(self, parameters, lr, momentum=0.0):
        super().__init__(parameters, lr)
        self.momentum = momentum

    def update(self, p):
        if p not in self.state:
            self.state[p] = p.grad  # 0 * momentum + grad
        else:
            v = self.state[p]
            v *= self.momentum
            v += p.grad
        p.data[...] = p.data - self.lr * self.state[p]


class Adam(Optimizer):
    def __init__(self, parameters, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(parameters, lr)
        self.betas = betas
        self.eps = eps

    def update(self, p):
        t, m, s = self.state.get(p, (0, 0.0, 0.0))
        b1, b2 = self.betas
        t = t + 1
        m = b1 * m + (1 - b1) * p.grad
        s = b2 * s + (1 - b2) * p.grad * p.grad
        self.state[p] = (t, m, s)
        p.data[...] -= self.lr * (m / (1 - b1**t)) / (np.sqrt(s / (1 - b2**t)) + self.eps)
