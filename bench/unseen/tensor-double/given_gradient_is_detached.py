# Held out. Mistake: grad wraps the data of the given gradient in a new constant tensor, so with create_graph=True the results do not depend on the given gradient and differentiating them with respect to it gives zeros.
# True: start-detached
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

        def vjp(g):
            return g * other, g * self

        return result(self.data * other.data, (self, other), vjp)

    def __truediv__(self, other):
        other = as_tensor(other, self)

        def vjp(g):
            part = g / other
            return part, -(part * (self / other))

        return result(self.data / other.data, (self, other), vjp)

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
        out = result(np.exp(self.data), (self,), lambda g: (g * out,))
        return out

    def tanh(self):
        out = result(np.tanh(self.data), (self,), lambda g: (g * (1.0 - out * out),))
        return out

    def sum(self):
        shape = self.data.shape
        return result(self.data.sum(), (self,), lambda g: (g.expand(shape),))

    def expand(self, shape):
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (g.sum(),))

    def permute(self, axes):
        back = tuple(np.argsort(axes).astype(int))
        return result(self.data.transpose(axes), (self,), lambda g: (g.permute(back),))

    def __matmul__(self, other):
        def vjp(g):
            return g @ other.permute((1, 0)), self.permute((1, 0)) @ g

        return result(self.data @ other.data, (self, other), vjp)

    def backward(self, gradient=None):
        if gradient is None:
            gradient = np.ones(self.data.shape)
        leaves = [t for t in in_order(self) if not t.operands and t.requires_grad]
        for leaf, g in zip(leaves, grad(self, leaves, Tensor(gradient))):
            leaf.grad = g.data.copy() if leaf.grad is None else leaf.grad + g.data


def grad(output, inputs, gradient=None, create_graph=False):
    if gradient is None:
        if output.data.size != 1:
            raise RuntimeError("gradient is missing")
        start = Tensor(np.ones(output.data.shape))
    else:
        start = Tensor(gradient.data)
    with contextlib.nullcontext() if create_graph else no_grad():
        sums = {output: start}
        for t in reversed(in_order(output)):
            g = sums[t]
            for operand, part in zip(t.operands, t.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part
    return [sums.get(x, Tensor(np.zeros(x.data.shape))) for x in inputs]

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
