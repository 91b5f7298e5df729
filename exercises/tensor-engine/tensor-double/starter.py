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
        other = as_tensor(other, self)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other, self)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (g * b, g * a))

    def __truediv__(self, other):
        other = as_tensor(other, self)
        a, b = self.data, other.data
        return result(a / b, (self, other), lambda g: (g / b, -g * a / b**2))

    def __neg__(self):
        return result(-self.data, (self,), lambda g: (-g,))

    def __sub__(self, other):
        return self + -as_tensor(other, self)

    def __rsub__(self, other):
        return as_tensor(other, self) - self

    def __rtruediv__(self, other):
        return as_tensor(other, self) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * value,))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

    def sum(self):
        """The sum of all entries, of shape ()."""
        shape = self.data.shape
        return result(self.data.sum(), (self,), lambda g: (np.broadcast_to(g, shape),))

    def expand(self, shape):
        """Copies of a single number, of shape (), in an array of this shape."""
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (g.sum(),))

    def permute(self, axes):
        return result(self.data.transpose(axes), (self,), lambda g: (g.transpose(np.argsort(axes)),))

    def __matmul__(self, other):
        a, b = self.data, other.data
        return result(a @ b, (self, other), lambda g: (g @ b.T, a.T @ g))

    def backward(self, gradient=None):
        sums = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


def grad(output, inputs, gradient=None, create_graph=False):
    """The gradients of the output with respect to the inputs: a list of tensors."""
    raise NotImplementedError("your part")


def as_tensor(value, like):
    """A tensor as it is, or a number as a constant of the shape of `like`."""
    return value if isinstance(value, Tensor) else Tensor(np.full(like.data.shape, value))


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
